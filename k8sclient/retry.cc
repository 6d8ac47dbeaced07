#include "k8sclient/retry.h"

#include <algorithm>

#include "k8sclient/api_error.h"

namespace det::k8s {
namespace {

bool may_repeat(const Result<HttpResponse>& result, bool idempotent) {
  if (!result) return idempotent && result.error().code == ErrorCode::kUnavailable;
  switch (result->status) {
    case 429:
      return true;
    case 503:
      return idempotent || result->header("retry-after").has_value();
    case 500:
    case 502:
    case 504:
      return idempotent;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::chrono::milliseconds> retry_delay(const RetryPolicy& policy, const Result<HttpResponse>& result,
                                                     bool idempotent, int failures, std::chrono::nanoseconds left) {
  if (!may_repeat(result, idempotent)) return std::nullopt;
  auto delay = exponential_backoff(policy.first_backoff, policy.max_backoff, failures);
  if (result) delay = error_of_response(*result).retry_after.value_or(delay);
  if (delay >= left) return std::nullopt;
  return delay;
}

std::chrono::milliseconds exponential_backoff(std::chrono::milliseconds first, std::chrono::milliseconds max,
                                              int failures) {
  auto delay = first;
  for (int i = 1; i < failures && delay < max; ++i) delay *= 2;
  return std::min(delay, max);
}

}  // namespace det::k8s
