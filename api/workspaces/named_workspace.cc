#include "api/workspaces/named_workspace.h"

#include "api/arguments.h"

namespace det::api {

Task<Result<store::WorkspaceRow>> named_workspace(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  co_return co_await services.stores.workspaces.find(model::WorkspaceId{*id}, call.caller.user.id);
}

}  // namespace det::api
