#include "base/result.h"

namespace det {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCanceled:
      return "Canceled";
    case ErrorCode::kUnknown:
      return "Unknown";
    case ErrorCode::kInvalidArgument:
      return "InvalidArgument";
    case ErrorCode::kDeadlineExceeded:
      return "DeadlineExceeded";
    case ErrorCode::kNotFound:
      return "NotFound";
    case ErrorCode::kAlreadyExists:
      return "AlreadyExists";
    case ErrorCode::kPermissionDenied:
      return "PermissionDenied";
    case ErrorCode::kResourceExhausted:
      return "ResourceExhausted";
    case ErrorCode::kFailedPrecondition:
      return "FailedPrecondition";
    case ErrorCode::kAborted:
      return "Aborted";
    case ErrorCode::kOutOfRange:
      return "OutOfRange";
    case ErrorCode::kUnimplemented:
      return "Unimplemented";
    case ErrorCode::kInternal:
      return "Internal";
    case ErrorCode::kUnavailable:
      return "Unavailable";
    case ErrorCode::kDataLoss:
      return "DataLoss";
    case ErrorCode::kUnauthenticated:
      return "Unauthenticated";
  }
  return "Unknown";
}

}  // namespace det
