#include "proxy/refusals.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace det::proxy {
namespace {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnauthenticated:
      return 401;
    case ErrorCode::kPermissionDenied:
      return 403;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kUnavailable:
    case ErrorCode::kDeadlineExceeded:
      return 503;
    default:
      return 500;
  }
}

}  // namespace

http::Response message(int status, std::string text) {
  const nlohmann::json body = {{"message", std::move(text)}};
  return http::Response::json(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), status);
}

http::Response message(const Error& error) {
  return message(status_of(error.code), error.message);
}

}  // namespace det::proxy
