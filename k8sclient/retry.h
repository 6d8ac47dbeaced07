#pragma once

// The one place that decides whether a call to the API server is made again, and when. Pure.

#include <chrono>
#include <optional>

#include "base/http_client.h"
#include "base/result.h"

namespace det::k8s {

struct RetryPolicy {
  std::chrono::milliseconds deadline{30'000};  // of a call with all its attempts
  std::chrono::milliseconds first_backoff{100};
  std::chrono::milliseconds max_backoff{5'000};
};

// `failures` attempts have failed so far (at least 1), the last with `result`. Returns how long to wait before the next
// attempt; nothing when the result is final: it is not a failure that goes away, the call may have had an effect that
// must not happen twice, or there is not enough of `left` for the wait. 429 and 503 with Retry-After are repeated for
// every call (the server did nothing), 500, 502, 503, 504 and lost connections only for idempotent ones.
[[nodiscard]] std::optional<std::chrono::milliseconds> retry_delay(const RetryPolicy& policy,
                                                                   const Result<HttpResponse>& result, bool idempotent,
                                                                   int failures, std::chrono::nanoseconds left);

// first, 2*first, 4*first, ... up to max; `failures` counts from 1.
[[nodiscard]] std::chrono::milliseconds exponential_backoff(std::chrono::milliseconds first,
                                                            std::chrono::milliseconds max, int failures);

}  // namespace det::k8s
