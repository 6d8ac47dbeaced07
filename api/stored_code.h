#pragma once

// Model code as an answer: a gang's pods fetch up to 95 MiB of it all at once, each at its own speed, so that no answer
// holds more than a piece. Belongs to the io thread.

#include <string>

#include "api/services.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace det::api {

// What is sent: the archive between two texts.
struct CodeForm {
  std::string before = {};
  std::string after = {};
  bool is_base64 = false;
};

// kNotFound for the archive with this digest.
[[nodiscard]] std::unexpected<Error> code_is_gone(const std::string& sha256);

// {"b64Tgz": "..."}
[[nodiscard]] CodeForm code_as_json();

// The archive with this digest. One that is small is sent whole, others as a stream, which breaks off where reading
// fails. kNotFound when it is gone.
Task<Result<http::Response>> answer_with_code(ApiServices& services, std::string sha256, CodeForm form);

}  // namespace det::api
