#pragma once

// What the proxy itself answers. Pure.

#include <string>

#include "base/result.h"
#include "http/takeover.h"

namespace det::proxy {

// {"message": ...}
[[nodiscard]] http::Response message(int status, std::string text);
// 401, 403, 404, and 503 of what is away.
[[nodiscard]] http::Response message(const Error& error);

[[nodiscard]] inline http::TakeoverEnd refused(int status, std::string text) {
  return {.answer = message(status, std::move(text))};
}

}  // namespace det::proxy
