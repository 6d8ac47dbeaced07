#pragma once

// How errors look on the wire. Pure.

#include <string>
#include <string_view>

#include "base/result.h"
#include "wire/forms.h"

namespace det::wire {

// HTTP status of a gRPC code: kNotFound 404, kInvalidArgument 400, ...
[[nodiscard]] int http_status(ErrorCode code);

// {"error":{"code":5,"reason":"NotFound","error":"..."}}: answers of /api/v1.
[[nodiscard]] Json api_error(const Error& error);
// {"message":"..."}: answers of the plain routes.
[[nodiscard]] Json plain_error(std::string_view message);
// The last line of a stream that broke after its first message.
[[nodiscard]] Json stream_error(const Error& error);

}  // namespace det::wire
