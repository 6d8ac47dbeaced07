// GET /api/v1/experiments/{id}/hyperparameter-importance: a route of ours. What searcher/importance.h says of the
// trials that have ended.

#include "searcher/importance.h"

#include "api/experiments/named_experiment.h"
#include "api/searches/routes.h"
#include "base/guarded_work.h"
#include "base/json_get.h"
#include "base/turns.h"

namespace det::api::routes {

namespace {

wire::Json answer_of(const searcher::Importance& found, std::int64_t ended, const wire::Json& metric) {
  wire::Json hyperparameters = wire::Json::array();
  for (const auto& [name, share] : found.hyperparameters) {
    hyperparameters.push_back({{"name", name}, {"importance", share.mean}, {"deviation", share.deviation}});
  }
  wire::Json answer = {{"metric", metric.is_string() ? metric : wire::Json("")},
                       {"trials", found.trials},
                       {"trialsEnded", ended},
                       {"hyperparameters", std::move(hyperparameters)},
                       {"leftOut", found.left_out}};
  if (!found.reason.empty()) {
    answer["reason"] = found.reason;
    return answer;
  }
  answer["together"] = found.together.mean;
  answer["togetherDeviation"] = found.together.deviation;
  answer["fit"] = found.fit;
  return answer;
}

}  // namespace

Task<Result<http::Response>> hyperparameter_importance(ApiServices& services, Call call) {
  const auto row = co_await named_experiment(services, call);
  DET_CO_TRY(row);
  const wire::Json& config = row->config;
  const auto turn = co_await services.importance_turns.wait("user " + to_string(call.caller.user.id));
  auto ended = co_await services.stores.experiment_metrics.ended(row->id, static_cast<int>(searcher::kMostTrials));
  DET_CO_TRY(ended);
  const std::int64_t count = ended->count;
  auto work = [ended = std::move(*ended), space = get_any(config, "hyperparameters")] {
    std::vector<searcher::MeasuredTrial> trials;
    trials.reserve(ended.some.size());
    for (const auto& [hparams, metric] : ended.some) trials.push_back({.hparams = hparams, .metric = metric});
    return searcher::importance_of(trials, space);
  };
  const searcher::Importance found = co_await run_guarded(services.workers, std::move(work));
  co_return ok(answer_of(found, count, get_any(get_any(config, "searcher"), "metric")));
}

}  // namespace det::api::routes
