#pragma once

// The one place that turns errors into answers. Pure.

#include "base/result.h"
#include "http/message.h"

namespace det::api {

// {"error":{...}} below /api/v1, {"message":...} elsewhere, with the status of the code and Retry-After when the error
// carries one.
[[nodiscard]] http::Response error_response(const http::Request& request, const Error& error);

// What unknown paths are answered: 501 below /api/v1 (as Determined's gateway does), else 404.
[[nodiscard]] http::Response unknown_path_response(const http::Request& request);

}  // namespace det::api
