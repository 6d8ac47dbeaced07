#pragma once

// Errors as values. Every call that can fail for a reason outside the program returns Result<T>; libraries that throw
// are wrapped in the file that includes them. Context is added once per layer with `with_context`.

#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace det {

// The kinds of failure that callers tell apart. The values are gRPC's, because the REST protocol prints them
// (api/error_response.cc turns them into HTTP statuses).
enum class ErrorCode : std::uint8_t {
  kCanceled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,     // a conflict: read again, then retry
  kOutOfRange = 11,  // also: a watch position the server no longer has (HTTP 410)
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,  // the other side is away or busy: the same call may succeed later
  kDataLoss = 15,
  kUnauthenticated = 16,
};

struct Error {
  ErrorCode code = ErrorCode::kUnknown;
  std::string message;  // one sentence for the person who must act; never holds a secret
  std::string field;    // dotted path of the field that is wrong, empty when it is not about one
  std::optional<std::chrono::milliseconds> retry_after;  // what the other side asked us to wait

  bool operator==(const Error&) const = default;
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string field = {}) {
  return std::unexpected(
      Error{.code = code, .message = std::move(message), .field = std::move(field), .retry_after = {}});
}

// "create pod x: " + the message; code, field and retry hint stay.
[[nodiscard]] inline Error with_context(Error error, std::string_view context) {
  error.message = std::string(context) + ": " + error.message;
  return error;
}

// Returns the error of a Result from the function that stands around it, or goes on: DET_TRY(check(x)). A value is
// unwrapped by the caller: auto row = read(id); DET_TRY(row); use(*row).
#define DET_TRY(...)                                  \
  do {                                                \
    if (auto&& det_tried = __VA_ARGS__; !det_tried) { \
      return std::unexpected(det_tried.error());      \
    }                                                 \
  } while (false)

// The same in a coroutine, and what is tried may be awaited: DET_CO_TRY(co_await write(row)).
#define DET_CO_TRY(...)                               \
  do {                                                \
    if (auto&& det_tried = __VA_ARGS__; !det_tried) { \
      co_return std::unexpected(det_tried.error());   \
    }                                                 \
  } while (false)

// The code's name as the REST protocol spells it: "NotFound".
[[nodiscard]] std::string_view to_string(ErrorCode code);

}  // namespace det
