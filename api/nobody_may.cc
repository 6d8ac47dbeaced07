#include "api/nobody_may.h"

#include "api/arguments.h"

namespace det::api {

Status check_is_mutable(const store::WorkspaceRow& row) {
  if (!row.immutable) return {};
  return fail(ErrorCode::kFailedPrecondition,
              "workspace (" + to_string(row.id) + ") is immutable and cannot have attributes updated");
}

Status check_is_mutable(const store::ProjectRow& row) {
  if (!row.immutable) return {};
  return fail(ErrorCode::kFailedPrecondition,
              "project (" + to_string(row.id) + ") is immutable and cannot have attributes updated");
}

Status check_may_be_bound(const ApiServices& services, const std::string& pool) {
  const model::MasterConfig& master = services.settings.master;
  if (pool != master.default_compute_pool && pool != master.default_aux_pool) return {};
  return fail(ErrorCode::kInvalidArgument, "default resource pool " + pool + " cannot be bound to any workspace");
}

Task<Status> check_anybody_may(ApiServices& services, std::string_view action, const http::Request& request,
                               model::UserId viewer) {
  if (action == "pool.bind") co_return check_may_be_bound(services, path_text(request, "name"));
  // Notes are something else.
  if (request.method != "PATCH" || (action != "workspace.change" && action != "project.change")) co_return Status();
  const auto id = path_id(request);
  DET_CO_TRY(id);
  if (action == "project.change") {
    const auto project = co_await services.stores.projects.find(model::ProjectId{*id});
    DET_CO_TRY(project);
    co_return *project ? check_is_mutable(**project) : Status();
  }
  const auto row = co_await services.stores.workspaces.find(model::WorkspaceId{*id}, viewer);
  DET_CO_TRY(row);
  co_return check_is_mutable(*row);
}

}  // namespace det::api
