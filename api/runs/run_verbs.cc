// What is done to many runs at once, by their ids or by a filter: to each for itself, with an error of its own. Words
// of errors are those of Determined's master.

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "api/access_check.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/experiments/object_edit.h"
#include "api/experiments/verbs.h"
#include "api/id_list.h"
#include "api/runs/list_request.h"
#include "api/runs/routes.h"
#include "model/states.h"

namespace det::api::routes {

namespace {

// An update of rows waits for nobody, unlike what the API server is asked for.
constexpr std::int64_t kMostArchived = 10'000;

constexpr std::size_t kReadAtOnce = 200;

// What no verb looks at, and what may be long: ten thousand of them are held at once.
store::RunRow without_details(store::RunRow run) {
  run.labels = {};
  run.hparams = nullptr;
  run.summaries = {};
  run.metadata = nullptr;
  return run;
}

struct Chosen {
  std::vector<store::RunRow> runs;           // without their details
  wire::Json results = wire::Json::array();  // of those that are not there

  void settle(model::TrialId id, std::string error) {
    results.push_back({{"id", id.value}, {"error", std::move(error)}});
  }
  void settle(model::TrialId id, const char* what, const Status& done) {
    settle(id, done ? std::string() : what + done.error().message);
  }
};

// The runs of `project` that a body names.
Task<Result<Chosen>> choose(ApiServices& services, wire::RequestFields fields, Identity caller,
                            model::ProjectId project, std::int64_t most, model::Permission needed) {
  store::ListSearch search;
  auto ids = read_id_list(fields.any("runIds"), "runIds");
  DET_CO_TRY(ids);
  auto filter = read_filter_text(fields);
  DET_CO_TRY(filter);
  if (*filter && !ids->empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "if filter is provided run id list must be empty", "runIds");
  }
  Chosen chosen;
  if (!*filter && ids->empty()) co_return chosen;
  search.filter = std::move(*filter);
  search.ids = *ids;
  search.project = project;
  search.user = caller.user.username;
  search.visible = visible(caller, model::Permission::kViewExperimentMetadata);
  search.limit = most;
  search.default_pool = services.settings.master.default_compute_pool;
  auto found = co_await services.stores.run_lists.search(std::move(search));
  DET_CO_TRY(found);
  if (found->total > most) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "filter: " + std::to_string(found->total) + " runs are more than the " + std::to_string(most) +
                       " of one request: a narrower filter, or several, would do",
                   "filter");
  }
  const std::set<std::int64_t> there(found->ids.begin(), found->ids.end());
  for (const std::int64_t id : std::set<std::int64_t>(ids->begin(), ids->end())) {
    if (there.contains(id)) continue;
    chosen.settle({id},
                  "Run with id '" + std::to_string(id) + "' not found in project with id '" + to_string(project) + "'");
  }
  const std::span<const std::int64_t> all = found->ids;
  for (std::size_t at = 0; at < all.size(); at += kReadAtOnce) {
    const auto page = all.subspan(at, std::min(kReadAtOnce, all.size() - at));
    auto runs = co_await services.stores.run_lists.runs({page.begin(), page.end()});
    DET_CO_TRY(runs);
    for (store::RunRow& run : *runs) {
      const Status allowed = require(caller, needed, run.workspace);
      if (allowed) {
        chosen.runs.push_back(without_details(std::move(run)));
      } else {
        chosen.settle(run.id, allowed.error().message);
      }
    }
  }
  co_return chosen;
}

Task<Result<Chosen>> choose(ApiServices& services, Call call, std::int64_t most, model::Permission needed) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("projectId");
  const model::ProjectId project{fields.integer("projectId").value_or(0)};
  DET_CO_TRY(fields.status());
  co_return co_await choose(services, fields, call.caller, project, most, needed);
}

Result<http::Response> answer(Chosen chosen) {
  return ok({{"results", std::move(chosen.results)}});
}

bool is_multitrial(const store::RunRow& run) {
  return run.experiment.has_other_runs;
}

bool is_archived(const store::RunRow& run) {
  return run.archived || run.is_parent_archived;
}

Task<Status> kill_run(ApiServices& services, model::ExperimentId experiment, model::TrialId id) {
  auto row = co_await services.stores.experiments.find(experiment);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "trial '" + to_string(id) + "' not found");
  co_return co_await kill_trial_of(services, std::move(**row), id);
}

Task<Result<http::Response>> pause_or_resume(ApiServices& services, Call call, ExperimentVerb verb) {
  auto chosen = co_await choose(services, std::move(call), kMostAtOnce, model::Permission::kUpdateExperiment);
  DET_CO_TRY(chosen);
  const bool pauses = verb == ExperimentVerb::kPause;
  const char* const failed =
      pauses ? "Failed to pause associated experiment: " : "Failed to resume associated experiment: ";
  std::vector<Unseen> unseen;
  for (const store::RunRow& run : chosen->runs) {
    if (is_archived(run)) {
      chosen->settle(run.id, "Run is archived.");
    } else if (is_multitrial(run)) {
      chosen->settle(run.id, "Cannot pause/unpause run '" + to_string(run.id) + "' (part of multi-trial).");
    } else {
      auto begun = co_await begin_verb(services, verb, run.experiment.id);
      chosen->settle(run.id, begun ? "" : failed + begun.error().message);
      if (begun && *begun) unseen.push_back(std::move(**begun));
    }
  }
  co_await wait_until_seen(services, std::move(unseen));
  co_return answer(std::move(*chosen));
}

Task<Result<http::Response>> set_archived(ApiServices& services, Call call, bool archives) {
  auto chosen = co_await choose(services, std::move(call), kMostArchived, model::Permission::kUpdateExperimentMetadata);
  DET_CO_TRY(chosen);
  std::vector<std::int64_t> changed;
  for (const store::RunRow& run : chosen->runs) {
    if (run.experiment.archived) {
      chosen->settle(run.id, "Run is part of archived Search (id: '" + to_string(run.experiment.id) + "').");
    } else if (run.archived != archives && !model::is_terminal(run.state)) {
      chosen->settle(run.id, "Run is not in terminal state.");
    } else {
      changed.push_back(run.id.value);
    }
  }
  DET_CO_TRY(co_await services.stores.run_lists.set_archived(changed, archives));
  for (const std::int64_t id : changed) chosen->settle({id}, "");
  co_return answer(std::move(*chosen));
}

Task<Status> delete_run(ApiServices& services, Identity caller, const store::RunRow& run) {
  if (!model::is_terminal(run.state)) {
    co_return fail(ErrorCode::kFailedPrecondition, "Run is not in a terminal state.");
  }
  if (is_multitrial(run)) {
    // The search's log speaks of all its runs: one that is missing could not be continued or checked.
    co_return fail(ErrorCode::kUnimplemented,
                   "this version deletes the runs of an experiment together, and it has others: delete experiment " +
                       to_string(run.experiment.id));
  }
  DET_CO_TRY(co_await check_experiment_owner(services, std::move(caller), run.experiment.id));
  co_return co_await apply_verb(services, ExperimentVerb::kDelete, run.experiment.id);
}

// Whole experiments move, each with all its runs.
Task<Status> move_chosen(ApiServices& services, Identity caller, Chosen& chosen, model::ProjectId from,
                         model::ProjectId to, bool skips_multitrial) {
  std::map<std::int64_t, std::vector<model::TrialId>> of_experiment;
  for (const store::RunRow& run : chosen.runs) {
    if (is_archived(run)) {
      chosen.settle(run.id, "Run is archived.");
    } else if (skips_multitrial && is_multitrial(run)) {
      chosen.settle(run.id, "Skipping run '" + to_string(run.id) + "' (part of multi-trial).");
    } else {
      of_experiment[run.experiment.id.value].push_back(run.id);
    }
  }
  std::vector<std::int64_t> experiments;
  for (const auto& [id, runs] : of_experiment) experiments.push_back(id);
  std::optional<model::UserId> owner;
  if (!has_roles(caller) && !caller.user.admin) owner = caller.user.id;
  const auto moved = co_await services.stores.projects.move_experiments(from, std::move(experiments), to, owner);
  DET_CO_TRY(moved);
  for (const store::MovedExperiment& one : *moved) {
    for (const model::TrialId run : of_experiment[one.id.value]) {
      chosen.settle(run, one.error.empty() ? "" : "Failed to move associated experiment: " + one.error);
    }
  }
  co_return Status();
}

}  // namespace

// Stopping what has ended is success.
Task<Result<http::Response>> kill_runs(ApiServices& services, Call call) {
  auto chosen = co_await choose(services, std::move(call), kMostAtOnce, model::Permission::kUpdateExperiment);
  DET_CO_TRY(chosen);
  for (const store::RunRow& run : chosen->runs) {
    Status killed;
    if (!model::is_terminal(run.state)) killed = co_await kill_run(services, run.experiment.id, run.id);
    chosen->settle(run.id, "Failed to kill run: ", killed);
  }
  co_return answer(std::move(*chosen));
}

Task<Result<http::Response>> pause_runs(ApiServices& services, Call call) {
  return pause_or_resume(services, std::move(call), ExperimentVerb::kPause);
}

Task<Result<http::Response>> resume_runs(ApiServices& services, Call call) {
  return pause_or_resume(services, std::move(call), ExperimentVerb::kActivate);
}

Task<Result<http::Response>> archive_runs(ApiServices& services, Call call) {
  return set_archived(services, std::move(call), true);
}

Task<Result<http::Response>> unarchive_runs(ApiServices& services, Call call) {
  return set_archived(services, std::move(call), false);
}

Task<Result<http::Response>> delete_runs(ApiServices& services, Call call) {
  auto chosen = co_await choose(services, call, kMostAtOnce, model::Permission::kDeleteExperiment);
  DET_CO_TRY(chosen);
  for (const store::RunRow& run : chosen->runs) {
    chosen->settle(run.id, "", co_await delete_run(services, call.caller, run));
  }
  co_return answer(std::move(*chosen));
}

Task<Result<http::Response>> move_runs(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("sourceProjectId");
  fields.require("destinationProjectId");
  const model::ProjectId from{fields.integer("sourceProjectId").value_or(0)};
  const model::ProjectId to{fields.integer("destinationProjectId").value_or(0)};
  const bool skips_multitrial = fields.boolean("skipMultitrial").value_or(false);
  DET_CO_TRY(fields.status());
  DET_CO_TRY(co_await require_project(services, call.caller, from, model::Permission::kViewProject));
  DET_CO_TRY(co_await require_project(services, call.caller, to, model::Permission::kCreateExperiment));
  const auto source = co_await find_project(services, from);
  DET_CO_TRY(source);
  if (source->archived) {
    co_return fail(ErrorCode::kFailedPrecondition,
                   "project (" + to_string(from) + ") is archived and cannot have runs moved from it");
  }
  const auto destination = co_await find_project(services, to);
  DET_CO_TRY(destination);
  if (destination->archived) {
    co_return fail(ErrorCode::kFailedPrecondition,
                   "project (" + to_string(to) + ") is archived and cannot add new runs");
  }
  if (from == to) co_return ok({{"results", wire::Json::array()}});
  auto chosen = co_await choose(services, fields, call.caller, from, kMostAtOnce, model::Permission::kDeleteExperiment);
  DET_CO_TRY(chosen);
  DET_CO_TRY(co_await move_chosen(services, call.caller, *chosen, from, to, skips_multitrial));
  co_return answer(std::move(*chosen));
}

}  // namespace det::api::routes
