#include "api/error_response.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/cut_text.h"
#include "base/printable.h"
#include "wire/error.h"

namespace det::api {

namespace {

constexpr std::array<std::string_view, 3> kNamed = {"/api/v1/templates/", "/api/v1/users/",
                                                    "/api/v1/experiments/by-external-id/"};

bool is_api(const http::Request& request) {
  return request.path.starts_with("/api/v1/") || request.path == "/api/v1";
}

// Determined's clients put names into addresses as they are.
bool may_have_a_name(std::string_view path) {
  return std::ranges::any_of(kNamed, [path](std::string_view prefix) { return path.starts_with(prefix); });
}

// Errors quote what was sent: people read them in terminals, and a thousand wrong fields do not help one.
constexpr std::size_t kLongestMessage = 16'384;

Error presentable(Error error) {
  if (error.message.size() > kLongestMessage)
    error.message = cut_text(std::move(error.message), kLongestMessage) + " ...";
  error.message = printable(error.message);
  return error;
}

}  // namespace

http::Response error_response(const http::Request& request, const Error& whole) {
  const Error error = presentable(whole);
  const wire::Json body = is_api(request) ? wire::api_error(error) : wire::plain_error(error.message);
  http::Response response = http::Response::json(wire::dump(body), wire::http_status(error.code));
  if (error.retry_after) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*error.retry_after).count();
    response.headers.add("Retry-After", std::to_string(seconds));
  }
  return response;
}

http::Response unknown_path_response(const http::Request& request) {
  Error error;
  if (is_api(request)) {
    error.code = ErrorCode::kUnimplemented;
    error.message =
        "Not Implemented: this version of det-operator does not serve " + request.method + " " + request.path;
    if (may_have_a_name(request.path)) error.message += ". If a name in it has a slash, write %2F";
  } else {
    error.code = ErrorCode::kNotFound;
    error.message = "api not found: " + request.method + " " + request.path;
  }
  return error_response(request, error);
}

}  // namespace det::api
