#include "wire/error.h"

namespace det::wire {

int http_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCanceled:
      return 408;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kFailedPrecondition:
    case ErrorCode::kOutOfRange:
      return 400;
    case ErrorCode::kDeadlineExceeded:
      return 504;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kAborted:
      return 409;
    case ErrorCode::kPermissionDenied:
      return 403;
    case ErrorCode::kResourceExhausted:
      return 429;
    case ErrorCode::kUnimplemented:
      return 501;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kUnauthenticated:
      return 401;
    case ErrorCode::kUnknown:
    case ErrorCode::kInternal:
    case ErrorCode::kDataLoss:
      return 500;
  }
  return 500;
}

Json api_error(const Error& error) {
  return {
      {"error", {{"code", static_cast<int>(error.code)}, {"reason", to_string(error.code)}, {"error", error.message}}}};
}

Json plain_error(std::string_view message) {
  return {{"message", message}};
}

Json stream_error(const Error& error) {
  return {{"error",
           {{"grpcCode", static_cast<int>(error.code)},
            {"httpCode", http_status(error.code)},
            {"message", error.message},
            {"httpStatus", to_string(error.code)},
            {"details", Json::array()}}}};
}

}  // namespace det::wire
