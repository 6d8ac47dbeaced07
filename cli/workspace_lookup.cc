#include "cli/workspace_lookup.h"

#include "cli/text.h"

namespace det::cli {

Task<Result<std::int64_t>> workspace_id(MasterClient client, std::string name) {
  const auto answer = co_await client.get("/api/v1/workspaces", {{"nameCaseSensitive", name}});
  DET_CO_TRY(answer);
  const Json found = field(*answer, "workspaces");
  if (!found.is_array() || found.empty()) {
    co_return fail(ErrorCode::kNotFound, "workspace '" + name + "' not found", "workspace");
  }
  if (field(found[0], "archived") == true) {
    co_return fail(ErrorCode::kFailedPrecondition, "Workspace \"" + name + "\" is archived.", "workspace");
  }
  co_return integer_field(found[0], "id");
}

}  // namespace det::cli
