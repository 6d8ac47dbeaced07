#include "storage/storage_calls.h"

#include <utility>

namespace det::storage {

namespace {

constexpr std::chrono::milliseconds kCallTimeout{60'000};
constexpr std::chrono::milliseconds kIdleTimeout{20'000};
constexpr std::chrono::milliseconds kPause{200};

bool may_pass(const Result<HttpResponse>& response) {
  if (response) return response->status >= 500 || response->status == 429;
  const ErrorCode code = response.error().code;
  return code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded;
}

}  // namespace

ErrorCode code_of_status(int status) {
  if (status == 404) return ErrorCode::kNotFound;
  if (status == 401 || status == 403) return ErrorCode::kPermissionDenied;
  return status >= 500 || status == 429 ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition;
}

Error refusal_of(const std::string& origin, int status, const std::string& why) {
  return {.code = code_of_status(status),
          .message = origin + " answers " + std::to_string(status) + (why.empty() ? "" : ", " + why),
          .field = {},
          .retry_after = {}};
}

std::chrono::milliseconds pause_after(int tries) {
  return kPause * tries;
}

Task<Result<HttpResponse>> get_bounded(HttpTransport& transport, HttpRequest request, std::size_t most_bytes) {
  request.timeout = kCallTimeout;
  request.idle_timeout = kIdleTimeout;
  request.max_answer = kMostListingBytes;  // of refusals, which do not go to the sink
  const std::string origin = request.url.substr(0, request.url.find('/', request.url.find("://") + 3));
  std::string body;
  bool is_too_long = false;
  auto sink = [&body, &is_too_long, most_bytes](std::string_view bytes) {
    is_too_long = body.size() + bytes.size() > most_bytes;
    if (!is_too_long) body.append(bytes);
    return !is_too_long;
  };
  auto response = co_await transport.stream(std::move(request), sink);
  if (is_too_long) co_return fail(ErrorCode::kFailedPrecondition, origin + " sends more than it was asked for");
  DET_CO_TRY(response);
  if (!body.empty()) response->body = std::move(body);
  co_return response;
}

Task<Result<HttpResponse>> get_patiently(HttpTransport& transport, Clock& clock, MakeRequest make,
                                         std::size_t most_bytes) {
  for (int tries = 1;; ++tries) {
    auto request = co_await make();
    if (!request && request.error().code == ErrorCode::kUnavailable && tries < kMostTries) {
      co_await clock.sleep_for(pause_after(tries));
      continue;
    }
    DET_CO_TRY(request);
    auto response = co_await get_bounded(transport, std::move(*request), most_bytes);
    if (tries == kMostTries || !may_pass(response)) co_return response;
    co_await clock.sleep_for(pause_after(tries));
  }
}

Result<std::string> part_of(HttpResponse response, const std::string& origin, std::uint64_t offset,
                            std::size_t length) {
  if (response.status == 412) {
    return fail(ErrorCode::kFailedPrecondition, "the file was written anew since it was listed");
  }
  // One that knows no ranges sends all of it, which would be taken for this piece.
  if (response.status != 206 && (offset > 0 || response.body.size() > length)) {
    return fail(ErrorCode::kUnavailable, origin + " does not send parts of files");
  }
  return std::move(response.body);
}

std::string range_text(std::uint64_t offset, std::size_t length) {
  return "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + length - 1);
}

}  // namespace det::storage
