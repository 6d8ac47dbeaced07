#include "api/arguments.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/experiments/experiment_continue.h"
#include "api/experiments/experiment_create.h"
#include "api/experiments/live_edit.h"
#include "api/experiments/routes.h"
#include "api/views.h"
#include "base/encoding.h"
#include "model/expconf/secret_fields.h"
#include "wire/enums.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using store::ExperimentSort;

constexpr std::pair<std::string_view, ExperimentSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", ExperimentSort::kId},
    {"SORT_BY_ID", ExperimentSort::kId},
    {"SORT_BY_DESCRIPTION", ExperimentSort::kDescription},
    {"SORT_BY_START_TIME", ExperimentSort::kStartTime},
    {"SORT_BY_END_TIME", ExperimentSort::kEndTime},
    {"SORT_BY_STATE", ExperimentSort::kState},
    {"SORT_BY_NUM_TRIALS", ExperimentSort::kNumTrials},
    {"SORT_BY_PROGRESS", ExperimentSort::kProgress},
    {"SORT_BY_USER", ExperimentSort::kUser},
    {"SORT_BY_NAME", ExperimentSort::kName},
    {"SORT_BY_FORKED_FROM", ExperimentSort::kForkedFrom},
    {"SORT_BY_RESOURCE_POOL", ExperimentSort::kResourcePool},
    {"SORT_BY_PROJECT_ID", ExperimentSort::kProjectId},
    {"SORT_BY_CHECKPOINT_SIZE", ExperimentSort::kCheckpointSize},
    {"SORT_BY_CHECKPOINT_COUNT", ExperimentSort::kCheckpointCount},
    {"SORT_BY_SEARCHER_METRIC_VAL", ExperimentSort::kSearcherMetric},
};

std::optional<ExperimentSort> parse_sort(std::string_view word) {
  for (const auto& [name, sort] : kSorts) {
    if (name == word) return sort;
  }
  return std::nullopt;
}

std::unexpected<Error> not_found(model::ExperimentId id) {
  return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
}

// Experiments that name no pool run in the cluster's default one.
wire::Json experiment_json(const ApiServices& services, const store::ExperimentView& view) {
  wire::Experiment shown = to_wire(view);
  shown.config = model::hide_secrets(std::move(shown.config));
  shown.original_config = hide_secrets_in(std::move(shown.original_config));
  wire::Json json = wire::to_json(shown);
  if (json["resourcePool"] == "") json["resourcePool"] = services.settings.master.default_compute_pool;
  return json;
}

Task<Result<store::ExperimentView>> view_of(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto view = co_await services.stores.experiments.view(model::ExperimentId{*id});
  DET_CO_TRY(view);
  if (!*view) co_return not_found(model::ExperimentId{*id});
  co_return std::move(**view);
}

Result<store::ExperimentFilter> read_filter(const http::Params& params) {
  QueryArguments query(params);
  store::ExperimentFilter filter;
  filter.archived = query.boolean("archived");
  filter.users = query.texts("users");
  for (const std::int64_t id : query.integers("userIds")) filter.user_ids.push_back({id});
  filter.states = query.words("states", wire::parse_experiment_state);
  filter.name = query.text("name").value_or("");
  filter.description = query.text("description").value_or("");
  filter.labels = query.texts("labels");
  if (const auto project = query.integer("projectId"); project && *project != 0) {
    filter.project = model::ProjectId{*project};
  }
  if (const auto sorts = query.words("sortBy", parse_sort); !sorts.empty()) filter.sort = sorts.front();
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.page = query.page();
  DET_TRY(query.status());
  for (const auto& [name, value] : params.fields()) {
    if (name.starts_with("experimentIdFilter") || name.starts_with("experiment_id_filter")) {
      return fail(ErrorCode::kUnimplemented, name + ": this version does not filter lists by id", name);
    }
  }
  return filter;
}

}  // namespace

Task<Result<http::Response>> create_experiment(ApiServices& services, Call call) {
  auto work = [body = call.request.body.view()]() { return read_create_request(body); };
  auto request = co_await run_guarded(services.workers, std::move(work));
  DET_CO_TRY(request);
  auto created = co_await api::create_experiment(services, std::move(*request), call.caller.user.id);
  DET_CO_TRY(created);
  if (!created->id) {
    co_return ok({{"experiment", wire::unspecified_experiment()},
                  {"config", model::hide_secrets(created->config)},
                  {"warnings", wire::Json::array()},
                  {"configWarnings", created->warnings}});
  }
  call.note.object = "experiments/" + to_string(*created->id);
  auto view = co_await services.stores.experiments.view(*created->id);
  DET_CO_TRY(view);
  if (!*view) co_return not_found(*created->id);
  co_return ok({{"experiment", experiment_json(services, **view)},
                {"config", model::hide_secrets(created->config)},
                {"warnings", wire::Json::array()},
                {"configWarnings", created->warnings}});
}

// {"id":1,"overrideConfig":"<yaml>"}
Task<Result<http::Response>> continue_experiment(ApiServices& services, Call call) {
  auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("id");
  const model::ExperimentId id{fields.integer("id").value_or(0)};
  std::string yaml = fields.string("overrideConfig").value_or("");
  DET_CO_TRY(fields.status());
  call.note.object = "experiments/" + to_string(id);
  const auto warnings = co_await api::continue_experiment(services, id, std::move(yaml), call.caller);
  DET_CO_TRY(warnings);
  auto view = co_await services.stores.experiments.view(id);
  DET_CO_TRY(view);
  if (!*view) co_return not_found(id);
  co_return ok({{"experiment", experiment_json(services, **view)},
                {"warnings", wire::Json::array()},
                {"configWarnings", *warnings}});
}

Task<Result<http::Response>> list_experiments(ApiServices& services, Call call) {
  auto filter = read_filter(call.request.query);
  DET_CO_TRY(filter);
  const store::Page page = filter->page;
  const auto found = co_await services.stores.experiments.list(std::move(*filter));
  DET_CO_TRY(found);
  wire::Json list = wire::Json::array();
  for (const auto& view : found->items) list.push_back(experiment_json(services, view));
  co_return ok({{"experiments", list}, {"pagination", pagination(page, *found)}});
}

Task<Result<http::Response>> get_experiment(ApiServices& services, Call call) {
  const auto view = co_await view_of(services, call);
  DET_CO_TRY(view);
  co_return ok({{"experiment", experiment_json(services, *view)},
                {"config", model::hide_secrets(shown_config(view->row))},
                {"jobSummary", nullptr}});
}

Task<Result<http::Response>> patch_experiment(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::ExperimentPatch patch{.title = fields.string("name"),
                               .description = fields.string("description"),
                               .labels = fields.strings("labels"),
                               .notes = fields.string("notes")};
  DET_CO_TRY(fields.status());
  auto settings = read_live_settings(fields.object("resources"));
  DET_CO_TRY(settings);
  const auto saves = read_save_settings(fields.object("checkpointStorage"));
  DET_CO_TRY(saves);
  // What is given up is deleted: as deleting checkpoints is.
  if (!saves->empty()) DET_CO_TRY(co_await check_experiment_owner(services, call.caller, model::ExperimentId{*id}));
  settings->update(*saves);
  if (patch.title && patch.title->find_first_not_of(" \t\r\n") == std::string::npos) {
    co_return fail(ErrorCode::kInvalidArgument, "`name` must not be an empty or whitespace string", "name");
  }
  if (!settings->empty()) {
    auto live = co_await edit_live_settings(services, model::ExperimentId{*id}, *settings);
    DET_CO_TRY(live);
    patch.live = std::move(*live);
  }
  DET_CO_TRY(co_await services.stores.experiments.patch(model::ExperimentId{*id}, std::move(patch)));
  if (!saves->empty()) DET_CO_TRY(co_await services.stores.removals.policy_changed(model::ExperimentId{*id}));
  const auto view = co_await view_of(services, call);
  DET_CO_TRY(view);
  co_return ok({{"experiment", experiment_json(services, *view)}});
}

Task<Result<http::Response>> get_model_def(ApiServices& services, Call call) {
  const auto view = co_await view_of(services, call);
  DET_CO_TRY(view);
  const std::string sha256 = view->row.context.sha256;
  const std::string& kind = view->row.context.kind;
  if (sha256.empty() || kind == "git" || kind == "pvc") {
    co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(view->row.id) +
                                             "' has no stored model code: it comes from '" + view->row.context.kind +
                                             "'");
  }
  auto bytes = co_await services.stores.contexts.get(sha256);
  DET_CO_TRY(bytes);
  if (!*bytes) co_return fail(ErrorCode::kNotFound, "the model code with the digest " + sha256 + " is gone");
  auto work = [content = std::move(**bytes)] { return "{\"b64Tgz\":\"" + base64_encode(content) + "\"}"; };
  co_return http::Response::json(co_await run_guarded(services.workers, std::move(work)));
}

Task<Result<http::Response>> best_validation_metric(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto best = co_await services.stores.experiments.best_trial(model::ExperimentId{*id});
  DET_CO_TRY(best);
  if (!*best) {
    co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' has no validation metric yet");
  }
  co_return ok({{"metric", wire::number((*best)->metric)}});
}

}  // namespace det::api::routes
