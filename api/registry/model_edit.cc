// Making, changing and deleting the registry's models.

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/registry/registry_forms.h"
#include "api/registry/routes.h"

namespace det::api::routes {

namespace {

constexpr model::WorkspaceId kDefaultWorkspace{1};

http::Response model_response(const store::RegisteredModelRow& row) {
  return ok({{"model", model_json(row)}});
}

Task<Result<http::Response>> set_archived(ApiServices& services, Call call, bool archived) {
  const auto row = co_await named_model(services, call);
  DET_CO_TRY(row);
  DET_CO_TRY(co_await services.stores.models.set_archived(row->id, archived));
  co_return ok();
}

}  // namespace

Task<Result<http::Response>> create_model(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::NewRegisteredModel model;
  model.name = fields.string("name").value_or("");
  model.description = fields.string("description").value_or("");
  model.notes = fields.string("notes").value_or("");
  model.labels = read_labels(fields).value_or(std::vector<std::string>());
  const auto workspace_id = fields.integer("workspaceId");
  const auto workspace_name = fields.string("workspaceName");
  DET_CO_TRY(fields.status());
  auto metadata = read_metadata(fields);
  DET_CO_TRY(metadata);
  if (*metadata) model.metadata = std::move(**metadata);
  DET_CO_TRY(check_model_name(model.name));
  const auto workspace = co_await workspace_of(services, workspace_id, workspace_name);
  DET_CO_TRY(workspace);
  model.workspace = workspace->value_or(kDefaultWorkspace);
  DET_CO_TRY(require(call.caller, model::Permission::kCreateModelRegistry, model.workspace));
  model.owner = call.caller.user.id;
  call.note.object = model.name;
  const auto row = co_await services.stores.models.create(std::move(model));
  DET_CO_TRY(row);
  co_return model_response(*row);
}

Task<Result<http::Response>> patch_model(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  const auto row = co_await named_model(services, call);
  DET_CO_TRY(row);
  wire::RequestFields fields(*body);
  store::RegisteredModelPatch patch;
  patch.name = fields.string("name");
  patch.description = fields.string("description");
  patch.notes = fields.string("notes");
  patch.labels = read_labels(fields);
  const auto workspace_id = fields.integer("workspaceId");
  const auto workspace_name = fields.string("workspaceName");
  DET_CO_TRY(fields.status());
  auto metadata = read_metadata(fields);
  DET_CO_TRY(metadata);
  patch.metadata = std::move(*metadata);
  if (patch.name && *patch.name != row->name) DET_CO_TRY(check_model_name(*patch.name));
  const auto workspace = co_await workspace_of(services, workspace_id, workspace_name);
  DET_CO_TRY(workspace);
  patch.workspace = *workspace;
  if (*workspace && **workspace != row->workspace) {
    DET_CO_TRY(require(call.caller, model::Permission::kCreateModelRegistry, **workspace));
  }
  const auto changed = co_await services.stores.models.change(row->id, std::move(patch));
  DET_CO_TRY(changed);
  co_return model_response(*changed);
}

Task<Result<http::Response>> archive_model(ApiServices& services, Call call) {
  return set_archived(services, call, true);
}

Task<Result<http::Response>> unarchive_model(ApiServices& services, Call call) {
  return set_archived(services, call, false);
}

Task<Result<http::Response>> move_model(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("destinationWorkspaceId");
  const auto destination = fields.integer("destinationWorkspaceId");
  DET_CO_TRY(fields.status());
  const auto row = co_await named_model(services, call);
  DET_CO_TRY(row);
  DET_CO_TRY(require(call.caller, model::Permission::kCreateModelRegistry, model::WorkspaceId{*destination}));
  DET_CO_TRY(co_await services.stores.models.move(row->id, model::WorkspaceId{*destination}));
  co_return ok();
}

Task<Result<http::Response>> delete_model(ApiServices& services, Call call) {
  const auto row = co_await named_model(services, call);
  DET_CO_TRY(row);
  if (row->owner != call.caller.user.id) {
    DET_CO_TRY(require(call.caller, model::Permission::kDeleteOtherUserModelRegistry, row->workspace));
  }
  DET_CO_TRY(co_await services.stores.models.remove(row->id));
  co_return ok();
}

}  // namespace det::api::routes
