// Curves of the most promising trials of a search. Who joins and leaves them is told while they run.

#include <algorithm>
#include <map>

#include "api/metrics/experiment_watch.h"
#include "api/metrics/frames.h"
#include "api/metrics/routes.h"
#include "api/metrics/series_request.h"
#include "base/guarded_work.h"

namespace det::api::routes {

namespace {

constexpr std::int64_t kTrials = 25;
constexpr std::int64_t kMostTrials = 200;
constexpr std::size_t kPoints = 1'000;
constexpr std::size_t kMostOfAll = 500'000;                  // points of one message
constexpr std::size_t kMostHparams = std::size_t{16} << 20;  // bytes of one message

struct SampleRequest {
  store::ComparedExperiment experiment;
  store::MetricName metric;
  int most_trials = 0;
  std::size_t most_points = 0;
  StepRange steps;
  std::chrono::seconds period{};
  std::string user;
};

bool is_by_length(const std::string& searcher) {
  return searcher == "adaptive_asha" || searcher == "async_halving" || searcher == "adaptive" ||
         searcher == "adaptive_simple" || searcher == "sync_halving";
}

class SampleStream {
 public:
  SampleStream(ApiServices& services, SampleRequest request, http::Writer& writer)
      : services_(services),
        request_(std::move(request)),
        writer_(writer),
        watch_(services, {request_.experiment.id}, request_.period) {}

  Task<Status> run() {
    do {
      DET_CO_TRY(co_await watch_.begin_look());
      auto message = co_await look();
      DET_CO_TRY(message);
      if (!co_await writer_.write(std::move(*message))) break;
    } while (co_await watch_.wait());
    co_return Status();
  }

 private:
  struct Shown {
    int run = 0;             // of the trial
    std::int64_t steps = 0;  // up to which its curve was sent
  };

  Task<Result<std::vector<model::TrialId>>> top_trials() {
    auto& store = services_.stores.experiment_metrics;
    if (is_by_length(request_.experiment.searcher)) {
      co_return co_await store.longest_trials(request_.experiment.id, request_.most_trials);
    }
    co_return co_await store.best_trials(request_.experiment.id, request_.most_trials);
  }

  Task<Result<std::string>> look() {
    const auto top = co_await top_trials();
    DET_CO_TRY(top);
    std::string trials;
    std::vector<std::int64_t> promoted;
    std::map<std::int64_t, Shown> shown;
    std::size_t hparams = 0;
    for (const model::TrialId trial : *top) {
      const auto before = shown_.find(trial.value);
      const auto row = co_await services_.stores.trials.find(trial);
      DET_CO_TRY(row);
      Shown now{.run = *row ? (**row).run : 0, .steps = -1};
      // A run that began at a checkpoint reports again what the run before it had reported after that.
      if (before != shown_.end() && before->second.run == now.run) now.steps = before->second.steps;
      std::string text = R"({"trialId":)" + to_string(trial);
      if (before == shown_.end()) {
        promoted.push_back(trial.value);
        std::string given = *row ? wire::dump((**row).hparams) : "{}";
        hparams += given.size();
        text += R"(,"hparams":)" + (hparams > kMostHparams ? "{}" : std::move(given));
      } else {
        text += R"(,"hparams":null)";
      }
      const auto data = co_await curve(trial, now.steps);
      DET_CO_TRY(data);
      if (!trials.empty()) trials += ',';
      trials += text + R"(,"data":)" + *data + "}";
      shown[trial.value] = now;
    }
    std::vector<std::int64_t> demoted;
    for (const auto& [trial, last] : shown_) {
      if (!shown.contains(trial)) demoted.push_back(trial);
    }
    shown_ = std::move(shown);
    co_return R"({"result":{"trials":[)" + trials + R"(],"promotedTrials":)" + wire::dump(promoted) +
        R"(,"demotedTrials":)" + wire::dump(demoted) + "}}\n";
  }

  // Of what was reported after `sent`, which becomes the last steps of it.
  Task<Result<std::string>> curve(model::TrialId trial, std::int64_t& sent) {
    const CurveQuery query{.names = {request_.metric.name}, .axis = {}, .most = request_.most_points};
    store::TableQuery wanted{.trial = trial,
                             .group = request_.metric.group,
                             .names = columns_of(query),
                             .from_steps = std::max(request_.steps.from, sent + 1),
                             .to_steps = request_.steps.to,
                             .points = static_cast<std::int64_t>(request_.most_points),
                             .is_outlined = true};
    const auto table = co_await services_.stores.metric_series.table(std::move(wanted), thinning(query), request_.user);
    DET_CO_TRY(table);
    if (table->size() > 0) sent = table->steps.back();
    auto work = [&table, &query] { return curve_text(*table, query, pick_rows(*table, query)); };
    co_return co_await run_guarded(services_.workers, std::move(work));
  }

  ApiServices& services_;
  SampleRequest request_;
  http::Writer& writer_;
  ExperimentWatch watch_;
  std::map<std::int64_t, Shown> shown_;  // by trial
};

}  // namespace

Task<Result<http::Response>> stream_trials_sample(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  QueryArguments arguments(call.request.query);
  auto metric = read_named_metric(arguments);
  DET_CO_TRY(metric);
  const auto period = read_period(arguments);
  DET_CO_TRY(period);
  const std::int64_t trials = arguments.integer("maxTrials").value_or(0);
  const auto points = read_most_points(arguments, kPoints);
  DET_CO_TRY(points);
  const StepRange steps = read_step_range(arguments);
  DET_CO_TRY(arguments.status());
  if (trials < 0 || trials > kMostTrials) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "maxTrials: '" + std::to_string(trials) + "' is not between 0 and " + std::to_string(kMostTrials),
                   "maxTrials");
  }
  const std::size_t most_trials = static_cast<std::size_t>(trials == 0 ? kTrials : trials);
  if (most_trials * *points > kMostOfAll) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "maxDatapoints: trials and points together make more than " + std::to_string(kMostOfAll),
                   "maxDatapoints");
  }
  auto found = co_await find_compared(services, {model::ExperimentId{*id}});
  DET_CO_TRY(found);
  if (found->front().searcher == "single") {
    co_return fail(ErrorCode::kInvalidArgument, "single-trial experiments are not supported for trial sampling");
  }
  SampleRequest request{.experiment = std::move(found->front()),
                        .metric = {std::move(metric->group), std::move(metric->name)},
                        .most_trials = static_cast<int>(most_trials),
                        .most_points = *points,
                        .steps = steps,
                        .period = *period,
                        .user = to_string(call.caller.user.id)};
  co_return frames<SampleStream>(services, std::move(request));
}

}  // namespace det::api::routes
