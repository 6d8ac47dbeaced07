#include "api/logs/log_count.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "api/arguments.h"
#include "api/logs/log_lines.h"
#include "api/logs/routes.h"
#include "base/race.h"

namespace det::api {

namespace {

constexpr std::int64_t kMostLines = 100'000;
constexpr std::chrono::seconds kLongest{5};

// Adds to `count`; true when all of it was looked at.
Task<Result<bool>> count_all(ApiServices& services, std::vector<std::string> tasks, store::LogQuery query,
                             std::int64_t& count) {
  store::LineSink sink = [&count](std::vector<store::NumberedLine> lines) -> Task<bool> {
    count += std::ssize(lines);
    co_return count < kMostLines;
  };
  for (const std::string& task : tasks) {
    query.task_id = task;
    DET_CO_TRY(co_await services.stores.logs.scan(query, sink));
    if (count >= kMostLines) co_return false;
  }
  co_return true;
}

}  // namespace

Task<Result<http::Response>> count_lines(ApiServices& services, std::vector<std::string> tasks, store::LogQuery query) {
  query.limit = 0;
  query.order = store::Order::kAscending;
  std::int64_t count = 0;
  auto counting = count_all(services, std::move(tasks), std::move(query), count);
  const auto counted = co_await with_deadline(services.clock, kLongest, std::move(counting));
  const bool is_late = !counted && counted.error().code == ErrorCode::kDeadlineExceeded;
  if (!is_late) DET_CO_TRY(counted);
  co_return ok({{"count", std::to_string(std::min(count, kMostLines))}, {"isAll", !is_late && *counted}});
}

namespace routes {

Task<Result<http::Response>> count_trial_logs(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto trial = co_await services.stores.trials.find(model::TrialId{*id});
  DET_CO_TRY(trial);
  if (!*trial) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(*id) + "' not found");
  auto request = read_log_request(call.request.query, {});
  DET_CO_TRY(request);
  co_return co_await count_lines(services, {(*trial)->task_id}, std::move(request->query));
}

}  // namespace routes

}  // namespace det::api
