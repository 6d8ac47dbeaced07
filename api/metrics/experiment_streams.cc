// What an experiment's trials measure, told again while they run: only what is new.

#include <algorithm>
#include <map>

#include "api/access_check.h"
#include "api/metrics/experiment_watch.h"
#include "api/metrics/frames.h"
#include "api/metrics/routes.h"
#include "api/metrics/series_request.h"
#include "api/stream_access.h"
#include "base/guarded_work.h"
#include "wire/log_record.h"

namespace det::api::routes {

namespace {

constexpr std::size_t kMostExperiments = 1'000;
constexpr std::int64_t kMostMargin = 100;

class NamesStream {
 public:
  NamesStream(ApiServices& services, std::vector<store::ComparedExperiment> experiments, std::chrono::seconds period,
              http::Writer& writer)
      : services_(services), writer_(writer), watch_(services, ids_of(experiments), period) {
    for (const auto& experiment : experiments) {
      ids_.push_back(experiment.id);
      searcher_metrics_.insert(experiment.metric);
    }
  }

  Task<Status> run() {
    std::set<store::MetricName> seen;
    do {
      DET_CO_TRY(co_await watch_.begin_look());
      auto names = co_await services_.stores.experiment_metrics.names(ids_);
      DET_CO_TRY(names);
      auto work = [this, &names, &seen] { return text(unseen(std::move(*names), seen)); };
      std::string message = co_await run_guarded(services_.workers, std::move(work));
      if (!co_await writer_.write(std::move(message))) break;
    } while (co_await watch_.wait());
    co_return Status();
  }

 private:
  static std::vector<model::ExperimentId> ids_of(const std::vector<store::ComparedExperiment>& experiments) {
    std::vector<model::ExperimentId> ids;
    for (const auto& experiment : experiments) ids.push_back(experiment.id);
    return ids;
  }

  std::string text(const std::vector<store::MetricName>& names) {
    wire::Json message = {{"searcherMetrics", std::exchange(searcher_metrics_, {})},
                          {"trainingMetrics", wire::Json::array()},
                          {"validationMetrics", wire::Json::array()},
                          {"metricNames", wire::Json::array()}};
    for (const auto& [group, name] : names) {
      message["metricNames"].push_back({{"group", group}, {"name", name}});
      if (group == "training") message["trainingMetrics"].push_back(name);
      if (group == "validation") message["validationMetrics"].push_back(name);
    }
    return wire::frame(message);
  }

  ApiServices& services_;
  http::Writer& writer_;
  ExperimentWatch watch_;
  std::vector<model::ExperimentId> ids_;
  std::set<std::string> searcher_metrics_;  // told once
};

// Of one experiment and metric.
struct Watched {
  model::ExperimentId experiment;
  store::MetricName metric;
  std::chrono::seconds period{};
  std::string user;
};

class BatchesStream {
 public:
  BatchesStream(ApiServices& services, Watched watched, http::Writer& writer)
      : services_(services),
        watched_(std::move(watched)),
        writer_(writer),
        watch_(services, {watched_.experiment}, watched_.period) {}

  Task<Status> run() {
    std::set<std::int64_t> seen;
    do {
      DET_CO_TRY(co_await watch_.begin_look());
      auto steps =
          co_await services_.stores.experiment_metrics.steps(watched_.experiment, watched_.metric, watched_.user);
      DET_CO_TRY(steps);
      auto work = [&steps, &seen] { return wire::frame({{"batches", unseen(std::move(*steps), seen)}}); };
      std::string message = co_await run_guarded(services_.workers, std::move(work));
      if (!co_await writer_.write(std::move(message))) break;
    } while (co_await watch_.wait());
    co_return Status();
  }

 private:
  ApiServices& services_;
  Watched watched_;
  http::Writer& writer_;
  ExperimentWatch watch_;
};

class SnapshotStream {
 public:
  SnapshotStream(ApiServices& services, Watched watched, StepRange steps, http::Writer& writer)
      : services_(services),
        watched_(std::move(watched)),
        steps_(steps),
        writer_(writer),
        watch_(services, {watched_.experiment}, watched_.period) {}

  Task<Status> run() {
    do {
      DET_CO_TRY(co_await watch_.begin_look());
      const auto rows = co_await services_.stores.experiment_metrics.snapshot({.experiment = watched_.experiment,
                                                                               .metric = watched_.metric,
                                                                               .from_steps = steps_.from,
                                                                               .to_steps = steps_.to});
      DET_CO_TRY(rows);
      auto work = [this, &rows] { return text(*rows); };
      std::string message = co_await run_guarded(services_.workers, std::move(work));
      if (!co_await writer_.write(std::move(message))) break;
    } while (co_await watch_.wait());
    co_return Status();
  }

 private:
  std::string text(const std::vector<store::SnapshotRow>& rows) {
    wire::Json trials = wire::Json::array();
    for (const store::SnapshotRow& row : rows) {
      const auto [seen, is_new] = seen_.try_emplace({row.trial.value, row.steps}, row.metric);
      if (!is_new && seen->second == row.metric) continue;
      seen->second = row.metric;  // of a run that began before these steps again
      trials.push_back({{"trialId", row.trial.value},
                        {"hparams", row.hparams},
                        {"metric", wire::number(row.metric)},
                        {"batchesProcessed", row.steps}});
    }
    return wire::frame({{"trials", std::move(trials)}});
  }

  ApiServices& services_;
  Watched watched_;
  StepRange steps_;
  http::Writer& writer_;
  ExperimentWatch watch_;
  std::map<std::pair<std::int64_t, std::int64_t>, double> seen_;  // by trial and steps
};

Task<Result<Watched>> read_watched(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  QueryArguments arguments(call.request.query);
  auto metric = read_named_metric(arguments);
  DET_CO_TRY(metric);
  const auto period = read_period(arguments);
  DET_CO_TRY(period);
  DET_CO_TRY(co_await find_compared(services, {model::ExperimentId{*id}}));
  co_return Watched{.experiment = {*id},
                    .metric = {std::move(metric->group), std::move(metric->name)},
                    .period = *period,
                    .user = to_string(call.caller.user.id)};
}

std::string history_text(const std::vector<store::BestSoFar>& best) {
  wire::Json history = wire::Json::array();
  for (const store::BestSoFar& row : best) {
    history.push_back({{"trialId", row.trial.value},
                       {"endTime", wire::time(row.time)},
                       {"searcherMetric", wire::number(row.metric)}});
  }
  return wire::dump({{"validationHistory", std::move(history)}});
}

}  // namespace

Task<Result<http::Response>> stream_metric_names(ApiServices& services, Call call) {
  QueryArguments arguments(call.request.query);
  std::vector<std::int64_t> numbers = arguments.integers("ids");
  const auto period = read_period(arguments);
  DET_CO_TRY(period);
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "must specify at least one experiment id", "ids");
  }
  if (numbers.size() > kMostExperiments) {
    co_return fail(ErrorCode::kInvalidArgument, "ids: more than " + std::to_string(kMostExperiments) + " experiments",
                   "ids");
  }
  const Permit permit = [&services, numbers](const SharedIdentity& caller) {
    return require_experiments(services, *caller, numbers, model::Permission::kViewExperimentArtifacts);
  };
  DET_CO_TRY(co_await permit(call.identity));
  std::vector<model::ExperimentId> ids;
  for (const std::int64_t id : numbers) ids.push_back({id});
  auto experiments = co_await find_compared(services, std::move(ids));
  DET_CO_TRY(experiments);
  http::Response response = frames<NamesStream>(services, std::move(*experiments), *period);
  response.stream = while_permitted(services, call.request, permit, std::move(response.stream));
  co_return response;
}

Task<Result<http::Response>> stream_metric_batches(ApiServices& services, Call call) {
  auto watched = co_await read_watched(services, call);
  DET_CO_TRY(watched);
  co_return frames<BatchesStream>(services, std::move(*watched));
}

Task<Result<http::Response>> stream_trials_snapshot(ApiServices& services, Call call) {
  QueryArguments arguments(call.request.query);
  const std::int64_t at = arguments.integer("batchesProcessed").value_or(0);
  const std::int64_t margin = arguments.integer("batchesMargin").value_or(0);
  DET_CO_TRY(arguments.status());
  if (margin > kMostMargin) co_return fail(ErrorCode::kInvalidArgument, "margin must be <= 100", "batchesMargin");
  if (margin < 0 || at < 0 || at > std::numeric_limits<std::int32_t>::max()) {
    co_return fail(ErrorCode::kInvalidArgument, "batchesProcessed and batchesMargin are numbers of batches",
                   "batchesProcessed");
  }
  auto watched = co_await read_watched(services, call);
  DET_CO_TRY(watched);
  const StepRange steps{.from = std::max<std::int64_t>(at - margin, 0), .to = at + margin};
  co_return frames<SnapshotStream>(services, std::move(*watched), steps);
}

Task<Result<http::Response>> validation_history(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto found = co_await find_compared(services, {model::ExperimentId{*id}});
  DET_CO_TRY(found);
  const auto best =
      co_await services.stores.experiment_metrics.best_so_far(found->front(), to_string(call.caller.user.id));
  DET_CO_TRY(best);
  auto work = [&best] { return history_text(*best); };
  co_return http::Response::json(co_await run_guarded(services.workers, std::move(work)));
}

}  // namespace det::api::routes
