#include "api/workspaces/named_workspace.h"

#include <algorithm>

#include "api/arguments.h"

namespace det::api {

Task<Result<store::WorkspaceRow>> named_workspace(Services& services, Call call) {
  const auto id = path_id(call.request);
  if (!id) co_return std::unexpected(id.error());
  const auto rows = co_await services.stores.workspaces.list();
  if (!rows) co_return std::unexpected(rows.error());
  const auto row = std::ranges::find(*rows, model::WorkspaceId{*id}, &store::WorkspaceRow::id);
  if (row == rows->end()) co_return fail(ErrorCode::kNotFound, "workspace '" + std::to_string(*id) + "' not found");
  co_return *row;
}

}  // namespace det::api
