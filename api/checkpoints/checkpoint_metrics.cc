// What the trials that use a checkpoint reported: batch inference.

#include <algorithm>
#include <iterator>

#include "api/arguments.h"
#include "api/checkpoints/routes.h"
#include "api/trials/source_kind.h"
#include "base/guarded_work.h"
#include "base/uuid.h"
#include "wire/metrics_report.h"

namespace det::api::routes {

namespace {

// Of each trial as many as Determined gives; the others bound the answer.
constexpr std::int64_t kMostOfTrial = 1'000;
constexpr int kMostTrials = 100;
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

Task<Result<http::Response>> checkpoint_metrics(ApiServices& services, Call call) {
  const std::string uuid = path_text(call.request, "uuid");
  QueryArguments query(call.request.query);
  const auto kinds = query.words("trialSourceInfoType", [](std::string_view word) { return read_source_kind(word); });
  const std::string group = query.text("metricGroup").value_or("");
  DET_CO_TRY(query.status());
  std::unexpected<Error> not_found = fail(ErrorCode::kNotFound, "checkpoint '" + uuid + "' not found");
  if (!is_uuid(uuid)) co_return not_found;
  const auto known = co_await services.stores.checkpoints.find(uuid);
  DET_CO_TRY(known);
  if (!*known) co_return not_found;
  const auto kind = kinds.empty() ? std::nullopt : std::optional(kinds.front());
  const auto trials = co_await services.stores.trial_sources.trials_of(uuid, kind, kMostTrials);
  DET_CO_TRY(trials);
  std::vector<store::MetricRow> reports;
  for (const model::TrialId trial : *trials) {
    if (reports.size() >= kMostReports) break;
    auto rows = co_await services.stores.metrics.reports(
        {.trial = trial, .group = group, .after_steps = {}, .limit = kMostOfTrial});
    DET_CO_TRY(rows);
    std::ranges::move(*rows, std::back_inserter(reports));
  }
  auto work = [&reports] { return answer(std::move(reports)); };
  co_return http::Response::json(co_await run_guarded(services.workers, std::move(work)));
}

}  // namespace det::api::routes
