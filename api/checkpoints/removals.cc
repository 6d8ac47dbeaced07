// What people have removed from checkpoint storage, and what its policy would remove.

#include <algorithm>
#include <chrono>
#include <set>
#include <span>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/checkpoints/routes.h"
#include "api/experiments/named_experiment.h"
#include "api/paged_answer.h"
#include "base/guarded_work.h"
#include "base/log.h"
#include "base/uuid.h"
#include "model/checkpoints/gc_plan.h"
#include "wire/enums.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::size_t kMostGlobs = 100;
constexpr std::size_t kPreviewedAtOnce = 50;
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{1'000};

std::unexpected<Error> wrong(const std::string& field, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, field + ": " + what, field);
}

// Lower case, each once. The limit of the body bounds how many.
Result<std::vector<std::string>> read_uuids(wire::RequestFields& fields) {
  fields.require("checkpointUuids");
  const auto given = fields.strings("checkpointUuids");
  DET_TRY(fields.status());
  if (given->empty()) return wrong("checkpointUuids", "names no checkpoint");
  std::set<std::string> uuids;
  for (std::size_t i = 0; i < given->size(); ++i) {
    const std::string& uuid = (*given)[i];
    if (!is_uuid(uuid)) return wrong("checkpointUuids[" + std::to_string(i) + "]", "'" + uuid + "' is not a UUID");
    uuids.insert(canonical_uuid(uuid));
  }
  return std::vector(uuids.begin(), uuids.end());
}

// None: nothing is removed, and what is there is read anew.
Result<std::vector<std::string>> read_globs(wire::RequestFields& fields) {
  auto globs = fields.strings("checkpointGlobs");
  DET_TRY(fields.status());
  if (!globs) return std::vector<std::string>();
  if (globs->size() > kMostGlobs) return wrong("checkpointGlobs", "up to " + std::to_string(kMostGlobs) + " work");
  for (const std::string& glob : *globs) {
    const Status allowed = model::check_removal_glob(glob);
    if (!allowed) return fail(ErrorCode::kInvalidArgument, allowed.error().message, "checkpointGlobs");
  }
  return std::move(*globs);
}

Task<Result<http::Response>> remove_files(ApiServices& services, Call call, std::vector<std::string> uuids,
                                          std::vector<std::string> globs) {
  DET_CO_TRY(co_await require_checkpoints(services, call.caller, uuids, model::Permission::kUpdateExperiment));
  std::optional<model::UserId> owner;
  if (!has_roles(call.caller) && !call.caller.user.admin) owner = call.caller.user.id;
  const std::string reason = call.caller.user.username + " asked for it";
  const auto count = co_await services.stores.removals.request(
      {.uuids = std::move(uuids), .globs = std::move(globs), .owner = owner, .reason = reason});
  DET_CO_TRY(count);
  Logger("api").info("checkpoints are to be deleted", {{"count", *count}, {"user", call.caller.user.username}});
  co_return ok();
}

Result<model::GcPolicy> read_policy(const http::Params& params) {
  QueryArguments arguments(params);
  model::GcPolicy policy{.save_experiment_best = 0, .save_trial_best = 0, .save_trial_latest = 0};
  const auto take = [&arguments](const char* name, std::int64_t& field) {
    if (const auto value = arguments.integer(name)) field = *value;
  };
  take("save_experiment_best", policy.save_experiment_best);
  take("save_trial_best", policy.save_trial_best);
  take("save_trial_latest", policy.save_trial_latest);
  DET_TRY(arguments.status());
  for (const std::int64_t value : {policy.save_experiment_best, policy.save_trial_best, policy.save_trial_latest}) {
    if (value < 0) return fail(ErrorCode::kInvalidArgument, "save_*: must be >= 0, not " + std::to_string(value));
  }
  return policy;
}

// The pod that removes them may wait for room. Clients read the answer as "they are gone": upstream's does not answer
// before they are.
Task<Status> wait_for_removal(ApiServices& services, model::ExperimentId id) {
  std::string error;
  std::chrono::milliseconds pause = kFirstPause;
  for (std::chrono::milliseconds waited{0}; waited < services.settings.removal_patience; waited += pause) {
    pause = std::min(pause * 2, kLongestPause);
    co_await services.clock.sleep_for(pause);
    const auto progress = co_await services.stores.removals.tensorboard_progress(id);
    DET_CO_TRY(progress);
    error = progress->error;
    if (progress->is_over && error.empty()) co_return Status();
    if (progress->is_over) {
      co_return fail(ErrorCode::kInternal,
                     "the TensorBoard files of experiment " + to_string(id) + " could not be removed: " + error);
    }
  }
  const std::string why = error.empty() ? "its pod may wait for room: see det task list" : "so far: " + error;
  co_return fail(ErrorCode::kDeadlineExceeded, "the TensorBoard files of experiment " + to_string(id) +
                                                   " are still being removed, which goes on by itself (" + why + ")");
}

// As upstream's handler beside the gRPC API spells it. `step` is what its own client looks for, too.
wire::Json previewed(const store::CheckpointView& view) {
  wire::Json json = {{"UUID", view.row.uuid},
                     {"TaskID", view.row.task_id},
                     {"AllocationID", view.row.allocation_id},
                     {"ReportTime", format_rfc3339_micros(view.row.report_time)},
                     {"State", to_string(view.row.state)},
                     {"Resources", view.row.resources},
                     {"Metadata", view.row.metadata},
                     {"Size", view.row.bytes},
                     {"StepsCompleted", view.row.steps},
                     {"TrialID", view.row.trial ? wire::Json(view.row.trial->value) : wire::Json()},
                     {"ExperimentID", view.experiment ? wire::Json(view.experiment->value) : wire::Json()},
                     {"ValidationMetrics", view.validation_metrics}};
  if (view.searcher_metric) {
    json["SearcherMetric"] = wire::number(*view.searcher_metric);
    json["step"] = {{"validation", {{"metrics", {{"validation_metrics", view.validation_metrics}}}}}};
  }
  return json;
}

// With commas between them. They are read with their experiment's configuration, so few at a time.
Task<Result<std::string>> previewed_text(ApiServices& services, std::vector<std::string> uuids) {
  std::string text;
  for (std::size_t at = 0; at < uuids.size(); at += kPreviewedAtOnce) {
    const auto rest = std::span(uuids).subspan(at);
    const auto page_uuids = rest.first(std::min(rest.size(), kPreviewedAtOnce));
    std::vector<std::string> some(page_uuids.begin(), page_uuids.end());
    auto views = co_await services.stores.checkpoints.views(std::move(some), "");
    DET_CO_TRY(views);
    auto work = [&views] {
      std::vector<wire::Json> entries;
      for (const store::CheckpointView& view : *views) entries.push_back(previewed(view));
      return joined(entries);
    };
    const std::string page = co_await run_guarded(services.workers, std::move(work));
    if (!text.empty() && !page.empty()) text += ',';
    text += page;
  }
  co_return text;
}

}  // namespace

Task<Result<http::Response>> delete_checkpoints(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  auto uuids = read_uuids(fields);
  DET_CO_TRY(uuids);
  co_return co_await remove_files(services, std::move(call), std::move(*uuids), {model::kAllFiles});
}

Task<Result<http::Response>> remove_checkpoint_files(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  auto uuids = read_uuids(fields);
  DET_CO_TRY(uuids);
  auto globs = read_globs(fields);
  DET_CO_TRY(globs);
  co_return co_await remove_files(services, std::move(call), std::move(*uuids), std::move(*globs));
}

Task<Result<http::Response>> preview_gc(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto policy = read_policy(call.request.query);
  DET_CO_TRY(policy);
  const model::ExperimentId experiment{*id};
  const auto row = co_await services.stores.experiments.find(experiment);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' not found");
  const auto uuids = co_await services.stores.removals.preview(experiment, *policy);
  DET_CO_TRY(uuids);
  const std::set<std::string> gone(uuids->begin(), uuids->end());
  store::CheckpointQuery query;
  query.experiment = experiment;
  auto all = co_await services.stores.checkpoints.list_uuids(std::move(query));
  DET_CO_TRY(all);
  std::erase_if(all->items, [&gone](const std::string& uuid) { return !gone.contains(uuid); });
  const auto checkpoints = co_await previewed_text(services, std::move(all->items));
  DET_CO_TRY(checkpoints);
  const wire::Json::json_pointer metric("/searcher/metric");
  const wire::Json name = (*row)->config.contains(metric) ? (*row)->config[metric] : wire::Json("");
  co_return http::Response::json(R"({"checkpoints":[)" + *checkpoints + R"(],"metric_name":)" + wire::dump(name) + "}");
}

Task<Result<http::Response>> delete_tensorboard_files(ApiServices& services, Call call) {
  const auto row = co_await named_experiment(services, call);
  DET_CO_TRY(row);
  if (!model::is_terminal(row->state)) {
    co_return fail(ErrorCode::kFailedPrecondition, "Experiment is not in terminal state.");
  }
  const model::ExperimentId experiment = row->id;
  DET_CO_TRY(co_await services.stores.removals.request_tensorboard(experiment));
  DET_CO_TRY(co_await wait_for_removal(services, experiment));
  co_return ok();
}

Task<Result<http::Response>> held_checkpoints(ApiServices& services, Call) {
  const auto held = co_await services.stores.removals.held();
  DET_CO_TRY(held);
  co_return ok({{"experiments", held->experiments}, {"checkpoints", held->checkpoints}, {"bytes", held->bytes}});
}

Task<Result<http::Response>> release_held_checkpoints(ApiServices& services, Call call) {
  const auto released = co_await services.stores.removals.release_held();
  DET_CO_TRY(released);
  Logger("api").info("experiments that ended before this version follow their checkpoint policies now",
                     {{"experiments", *released}, {"user", call.caller.user.username}});
  co_return ok({{"experiments", *released}});
}

}  // namespace det::api::routes
