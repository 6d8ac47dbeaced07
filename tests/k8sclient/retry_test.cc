#include "k8sclient/retry.h"

#include <gtest/gtest.h>

namespace det::k8s {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Result<HttpResponse> status(int code, HttpHeaders headers = {}) {
  return HttpResponse{.status = code, .headers = std::move(headers), .body = {}};
}
Result<HttpResponse> lost(ErrorCode code) {
  return fail(code, "lost");
}
std::optional<milliseconds> delay(const Result<HttpResponse>& result, bool idempotent, int failures = 1,
                                  std::chrono::nanoseconds left = seconds(30)) {
  return retry_delay(RetryPolicy{}, result, idempotent, failures, left);
}

TEST(Retry, RepeatsRefusedCallsOfEveryKindWhenTheServerSaysWhen) {
  for (const bool idempotent : {true, false}) {
    EXPECT_EQ(delay(status(429, {{"retry-after", "2"}}), idempotent), seconds(2));
    EXPECT_EQ(delay(status(503, {{"retry-after", "1"}}), idempotent), seconds(1));
  }
}

TEST(Retry, BacksOffWhenTheServerDoesNotSayWhen) {
  EXPECT_EQ(delay(status(429), false), milliseconds(100));
  EXPECT_EQ(delay(status(429), false, 2), milliseconds(200));
  EXPECT_EQ(delay(status(429), false, 50), seconds(5));
}

TEST(Retry, RepeatsServerErrorsAndLostConnectionsOnlyOfIdempotentCalls) {
  for (const int code : {500, 502, 503, 504}) {
    EXPECT_EQ(delay(status(code), true), milliseconds(100)) << code;
    EXPECT_EQ(delay(status(code), false), std::nullopt) << code;
  }
  EXPECT_EQ(delay(lost(ErrorCode::kUnavailable), true), milliseconds(100));
  EXPECT_EQ(delay(lost(ErrorCode::kUnavailable), false), std::nullopt);
}

TEST(Retry, NeverRepeatsWhatIsFinal) {
  for (const int code : {400, 401, 403, 404, 409, 410, 422, 501})
    EXPECT_EQ(delay(status(code), true), std::nullopt) << code;
  EXPECT_EQ(delay(lost(ErrorCode::kPermissionDenied), true), std::nullopt);
  EXPECT_EQ(delay(lost(ErrorCode::kDeadlineExceeded), true), std::nullopt);
}

TEST(Retry, DoesNotWaitBeyondTheDeadline) {
  EXPECT_EQ(delay(status(429, {{"retry-after", "5"}}), true, 1, seconds(5)), std::nullopt);
  EXPECT_EQ(delay(status(429, {{"retry-after", "5"}}), true, 1, milliseconds(5001)), seconds(5));
}

}  // namespace
}  // namespace det::k8s
