// Lists of runs, and of experiments with their best run.

#include <map>

#include "api/access_check.h"
#include "api/body.h"
#include "api/experiments/experiment_texts.h"
#include "api/paged_answer.h"
#include "api/runs/list_request.h"
#include "api/runs/routes.h"
#include "api/runs/run_json.h"
#include "api/views.h"

namespace det::api::routes {

namespace {

constexpr std::size_t kRunsAtOnce = 200;
constexpr std::size_t kExperimentsAtOnce = 50;  // they bring their configurations

Task<Result<std::string>> runs_text(ApiServices& services, std::vector<std::int64_t> ids) {
  auto rows = co_await services.stores.run_lists.runs(std::move(ids));
  DET_CO_TRY(rows);
  auto work = [rows = std::move(*rows), pool = services.settings.master.default_compute_pool] {
    std::vector<wire::Json> entries;
    for (const store::RunRow& row : rows) entries.push_back(run_json(row, pool));
    return joined(entries);
  };
  co_return co_await run_guarded(services.workers, std::move(work));
}

struct FoundExperiments {
  std::vector<store::UnreadExperimentView> experiments;
  std::map<model::TrialId, store::TrialView> best;
  std::map<model::TrialId, store::MetricSummaries> sums;
};

// Of an object, whose value is JSON already.
std::string member(const char* name, const std::string& value) {
  return '"' + std::string(name) + "\":" + value;
}

std::string text_of(const ApiServices& services, const FoundExperiments& found) {
  std::vector<std::string> entries;
  for (const auto& view : found.experiments) {
    const auto best = view.best_trial ? found.best.find(*view.best_trial) : found.best.end();
    std::string best_trial = "null";
    if (best != found.best.end()) {
      wire::Trial trial = to_wire(best->second);
      if (const auto sums = found.sums.find(best->first); sums != found.sums.end()) {
        trial.summary = wire::summary_metrics(to_wire(sums->second));
      }
      best_trial = wire::dump(wire::to_json(trial));
    }
    entries.push_back("{" + member("bestTrial", best_trial) + "," +
                      member("experiment", services.experiment_texts.text_of(services, view)) + "}");
  }
  return joined(entries);
}

Task<Result<std::string>> experiments_text(ApiServices& services, std::vector<std::int64_t> ids) {
  FoundExperiments found;
  auto views = co_await services.stores.experiments.unread_views(std::move(ids));
  DET_CO_TRY(views);
  found.experiments = std::move(*views);
  std::vector<std::int64_t> best;
  for (const auto& view : found.experiments) {
    if (view.best_trial) best.push_back(view.best_trial->value);
  }
  auto trials = co_await services.stores.trials.views(best);
  DET_CO_TRY(trials);
  for (store::TrialView& trial : *trials) {
    const model::TrialId id = trial.row.id;
    found.best.emplace(id, std::move(trial));
  }
  auto sums = co_await services.stores.run_sums.find(std::move(best));
  DET_CO_TRY(sums);
  found.sums = std::move(*sums);
  auto work = [&services, found = std::move(found)] { return text_of(services, found); };
  co_return co_await run_guarded(services.workers, std::move(work));
}

struct Wanted {
  store::ListPlace of = store::ListPlace::kRun;
  const char* name = "";
  std::size_t page = 0;
  Task<Result<std::string>> (*read)(ApiServices& services, std::vector<std::int64_t> ids) = nullptr;
};

Task<Result<http::Response>> search(ApiServices& services, Call call, Wanted wanted) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  auto asked = read_list_request(fields, wanted.of, services.settings);
  DET_CO_TRY(asked);
  if (asked->project) {
    DET_CO_TRY(co_await require_project(services, call.caller, *asked->project, model::Permission::kViewProject));
    DET_CO_TRY(co_await check_project(services, *asked->project));
  }
  asked->visible = visible(call.caller, model::Permission::kViewExperimentMetadata);
  asked->user = call.caller.user.username;
  const std::int64_t offset = asked->offset;
  const std::int64_t limit = asked->limit;
  auto found = co_await services.stores.run_lists.search(std::move(*asked));
  DET_CO_TRY(found);
  ListAnswer list{.name = wanted.name, .ids = {}, .pagination = pagination_of(offset, limit, *found)};
  list.ids = std::move(found->ids);
  list.page = wanted.page;
  const PageText read = [&services, wanted](std::vector<std::int64_t> ids) {
    return wanted.read(services, std::move(ids));
  };
  co_return co_await answer_by_pages(std::move(list), read);
}

}  // namespace

Task<Result<http::Response>> search_runs(ApiServices& services, Call call) {
  return search(services, std::move(call), {store::ListPlace::kRun, "runs", kRunsAtOnce, runs_text});
}

Task<Result<http::Response>> search_experiments(ApiServices& services, Call call) {
  return search(services, std::move(call),
                {store::ListPlace::kExperiment, "experiments", kExperimentsAtOnce, experiments_text});
}

}  // namespace det::api::routes
