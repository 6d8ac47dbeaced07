#include "api/workspaces/named_workspace.h"

#include <algorithm>

#include "api/arguments.h"

namespace det::api {

Task<Result<store::WorkspaceRow>> named_workspace(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto rows = co_await services.stores.workspaces.list();
  DET_CO_TRY(rows);
  const auto row = std::ranges::find(*rows, model::WorkspaceId{*id}, &store::WorkspaceRow::id);
  if (row == rows->end()) co_return fail(ErrorCode::kNotFound, "workspace '" + std::to_string(*id) + "' not found");
  co_return *row;
}

}  // namespace det::api
