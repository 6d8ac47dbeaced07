#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/paged_answer.h"
#include "api/registry/registry_forms.h"
#include "api/registry/routes.h"
#include "api/trials/source_kind.h"
#include "api/trials/source_metrics.h"
#include "base/uuid.h"

namespace det::api::routes {

namespace {

using store::ModelVersionSort;

constexpr std::size_t kAtOnce = 50;  // they bring their experiments' configurations

constexpr std::pair<std::string_view, ModelVersionSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", ModelVersionSort::kVersion},
    {"SORT_BY_VERSION", ModelVersionSort::kVersion},
    {"SORT_BY_CREATION_TIME", ModelVersionSort::kCreationTime}};

struct NamedVersion {
  store::RegisteredModelRow model;
  store::ModelVersionRow version;
};

// The one that {name} and {num} of the path name.
Task<Result<NamedVersion>> named_version(ApiServices& services, Call call) {
  const auto number = path_id(call.request, "num");
  DET_CO_TRY(number);
  auto model = co_await named_model(services, call);
  DET_CO_TRY(model);
  auto version = co_await services.stores.model_versions.find(model->id, *number);
  DET_CO_TRY(version);
  if (!*version) {
    co_return fail(ErrorCode::kNotFound, "version " + std::to_string(*number) + " for model \"" +
                                             path_text(call.request, "name") + "\" not found");
  }
  co_return NamedVersion{.model = std::move(*model), .version = std::move(**version)};
}

http::Response version_response(const store::RegisteredModelRow& model, const store::ModelVersionRow& version,
                                const Identity& reader) {
  return ok({{"modelVersion", model_version_json(model, version, reader.user)}});
}

Task<Result<std::string>> versions_text(ApiServices& services, store::RegisteredModelRow model,
                                        std::vector<std::int64_t> numbers, store::UserRow reader) {
  auto rows = co_await services.stores.model_versions.of(model.id, std::move(numbers));
  DET_CO_TRY(rows);
  auto work = [rows = std::move(*rows), model = std::move(model), reader = std::move(reader)] {
    std::vector<wire::Json> entries;
    for (const store::ModelVersionRow& row : rows) entries.push_back(model_version_json(model, row, reader));
    return joined(entries);
  };
  co_return co_await run_guarded(services.workers, std::move(work));
}

}  // namespace

Task<Result<http::Response>> list_model_versions(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  store::ModelVersionQuery wanted;
  const auto sorts = query.words("sortBy", kSorts);
  if (!sorts.empty()) wanted.sort = sorts.front();
  wanted.order = query.order().value_or(store::Order::kAscending);
  wanted.page = query.page();
  DET_CO_TRY(query.status());
  const auto model = co_await named_model(services, call);
  DET_CO_TRY(model);
  wanted.model = model->id;
  auto numbers = co_await services.stores.model_versions.list_numbers(wanted);
  DET_CO_TRY(numbers);
  const wire::Pagination pagination = pagination_of(wanted.page, *numbers);
  ListAnswer list{.name = "modelVersions",
                  .before = "\"model\":" + wire::dump(model_json(*model)) + ",",
                  .ids = std::move(numbers->items),
                  .pagination = pagination,
                  .page = kAtOnce};
  PageText read = [&services, model = *model, user = call.caller.user](std::vector<std::int64_t> some) {
    return versions_text(services, model, std::move(some), user);
  };
  co_return co_await answer_by_pages(std::move(list), std::move(read));
}

Task<Result<http::Response>> get_model_version(ApiServices& services, Call call) {
  const auto named = co_await named_version(services, call);
  DET_CO_TRY(named);
  co_return version_response(named->model, named->version, call.caller);
}

Task<Result<http::Response>> create_model_version(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::NewModelVersion version;
  fields.require("checkpointUuid");
  version.checkpoint = fields.string("checkpointUuid").value_or("");
  version.name = fields.string("name").value_or("");
  version.comment = fields.string("comment").value_or("");
  version.notes = fields.string("notes").value_or("");
  version.labels = read_labels(fields).value_or(std::vector<std::string>());
  DET_CO_TRY(fields.status());
  auto metadata = read_metadata(fields);
  DET_CO_TRY(metadata);
  if (*metadata) version.metadata = std::move(**metadata);
  const auto model = co_await named_model(services, call);
  DET_CO_TRY(model);
  if (!is_uuid(version.checkpoint)) {
    co_return fail(ErrorCode::kNotFound, "checkpoint '" + version.checkpoint + "' not found", "checkpointUuid");
  }
  std::vector<std::string> checkpoints = {version.checkpoint};
  DET_CO_TRY(co_await require_checkpoints(services, call.caller, std::move(checkpoints),
                                          model::Permission::kViewExperimentArtifacts));
  version.model = model->id;
  version.owner = call.caller.user.id;
  const auto made = co_await services.stores.model_versions.add(std::move(version));
  DET_CO_TRY(made);
  // Again, for the number of its versions; by its id, because somebody may have renamed it meanwhile.
  const auto now = co_await services.stores.models.find(to_string(model->id));
  DET_CO_TRY(now);
  co_return version_response(now->value_or(*model), *made, call.caller);
}

Task<Result<http::Response>> patch_model_version(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::ModelVersionPatch patch;
  patch.name = fields.string("name");
  patch.comment = fields.string("comment");
  patch.notes = fields.string("notes");
  patch.labels = read_labels(fields);
  wire::RequestFields checkpoint_fields = fields.object("checkpoint");
  const auto checkpoint = checkpoint_fields.string("uuid");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(checkpoint_fields.status());
  auto metadata = read_metadata(fields);
  DET_CO_TRY(metadata);
  patch.metadata = std::move(*metadata);
  const auto named = co_await named_version(services, call);
  DET_CO_TRY(named);
  if (checkpoint && *checkpoint != named->version.checkpoint.row.uuid) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "checkpoint: a version stays the checkpoint that it was registered with; register another version",
                   "checkpoint");
  }
  const auto changed =
      co_await services.stores.model_versions.change(named->model.id, named->version.version, std::move(patch));
  DET_CO_TRY(changed);
  co_return version_response(named->model, *changed, call.caller);
}

Task<Result<http::Response>> delete_model_version(ApiServices& services, Call call) {
  const auto named = co_await named_version(services, call);
  DET_CO_TRY(named);
  const store::UserRow& user = call.caller.user;
  const bool is_theirs = user.id == named->version.owner || user.id == named->model.owner;
  if (!is_theirs) {
    DET_CO_TRY(require(call.caller, model::Permission::kDeleteOtherUserModelVersion, named->model.workspace));
  }
  if (!has_roles(call.caller) && !user.admin && !is_theirs) {
    co_return fail(ErrorCode::kPermissionDenied, "non-admin users may not delete other users' model versions");
  }
  DET_CO_TRY(co_await services.stores.model_versions.remove(named->model.id, named->version.version));
  co_return ok();
}

Task<Result<http::Response>> model_version_metrics(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const auto kinds = query.words("trialSourceInfoType", read_source_kind, kSourceKinds);
  const std::string group = query.text("metricGroup").value_or("");
  DET_CO_TRY(query.status());
  const auto named = co_await named_version(services, call);
  DET_CO_TRY(named);
  const auto kind = kinds.empty() ? std::nullopt : std::optional(kinds.front());
  auto trials = co_await services.stores.trial_sources.trials_of_version(named->version.id, kind, kMostSourceTrials);
  DET_CO_TRY(trials);
  co_return co_await metrics_of_trials(services, call.caller, std::move(*trials), group);
}

}  // namespace det::api::routes
