#include "api/trials/source_metrics.h"

#include <algorithm>
#include <iterator>

#include "api/access_check.h"
#include "base/guarded_work.h"
#include "wire/metrics_report.h"

namespace det::api {

namespace {

// Of each trial as many as Determined gives; the other bounds the answer.
constexpr std::int64_t kMostOfTrial = 1'000;
constexpr std::size_t kMostReports = 20'000;

std::string answer(std::vector<store::MetricRow> rows) {
  wire::Json reports = wire::Json::array();
  for (store::MetricRow& row : rows) {
    reports.push_back(wire::to_json(wire::MetricsReport{.trial = row.trial,
                                                        .run = row.run,
                                                        .group = std::move(row.group),
                                                        .steps = row.steps,
                                                        .time = row.time,
                                                        .metrics = std::move(row.metrics),
                                                        .batch_metrics = std::move(row.batch_metrics),
                                                        .number = static_cast<std::int64_t>(reports.size()) + 1}));
  }
  return wire::Json({{"metrics", std::move(reports)}}).dump();
}

}  // namespace

Task<Result<http::Response>> metrics_of_trials(ApiServices& services, Identity caller,
                                               std::vector<model::TrialId> trials, std::string group) {
  std::vector<store::MetricRow> reports;
  for (const model::TrialId trial : trials) {
    if (reports.size() >= kMostReports) break;
    std::vector<std::int64_t> alone = {trial.value};
    const Status seen =
        co_await require_trials(services, caller, std::move(alone), model::Permission::kViewExperimentArtifacts);
    if (!seen && seen.error().code != ErrorCode::kNotFound && seen.error().code != ErrorCode::kPermissionDenied) {
      co_return std::unexpected(seen.error());
    }
    if (!seen) continue;
    auto rows = co_await services.stores.metrics.reports(
        {.trial = trial, .group = group, .after_steps = {}, .limit = kMostOfTrial});
    DET_CO_TRY(rows);
    std::ranges::move(*rows, std::back_inserter(reports));
  }
  auto work = [&reports] { return answer(std::move(reports)); };
  co_return http::Response::json(co_await run_guarded(services.workers, std::move(work)));
}

}  // namespace det::api
