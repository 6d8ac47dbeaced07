#include "api/harness_guard.h"

#include "wire/error.h"

namespace det::api {

namespace {

bool may_pass(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kResourceExhausted || code == ErrorCode::kAborted;
}

}  // namespace

Task<Result<http::Response>> guard_harness(Clock& clock, Logger log, GuardOptions options,
                                           std::function<Task<Result<http::Response>>()> attempt) {
  const SteadyTime deadline = clock.steady_now() + options.patience;
  for (;;) {
    Result<http::Response> result = co_await attempt();
    if (result) co_return result;
    const Error& error = result.error();
    const bool is_final = !may_pass(error.code) || clock.steady_now() >= deadline;
    if (is_final && (may_pass(error.code) || wire::http_status(error.code) >= 500)) {
      log.warn("a harness request was dropped", {{"reason", error.message}});
      co_return http::Response::dropped();
    }
    if (is_final) co_return result;
    co_await clock.sleep_for(options.pause);
  }
}

}  // namespace det::api
