#include "cli/workspace_lookup.h"

#include "cli/text.h"
#include "cli/wrong_arguments.h"

namespace det::cli {
namespace {

// As it stands in the list of workspaces.
Task<Result<Json>> listed_workspace(MasterClient client, std::string name) {
  // The server takes an empty name for any.
  if (name.empty()) co_return wrong_arguments("workspace name cannot be empty");
  const auto answer = co_await client.get("/api/v1/workspaces", {{"nameCaseSensitive", name}});
  DET_CO_TRY(answer);
  const Json found = field(*answer, "workspaces");
  if (!found.is_array() || found.empty()) {
    co_return fail(ErrorCode::kNotFound, "workspace '" + name + "' not found", "workspace");
  }
  co_return found[0];
}

}  // namespace

Task<Result<std::int64_t>> workspace_id(MasterClient client, std::string name) {
  const auto found = co_await listed_workspace(client, name);
  DET_CO_TRY(found);
  if (field(*found, "archived") == true) {
    co_return wrong_arguments("Workspace \"" + name + "\" is archived.", ErrorCode::kFailedPrecondition);
  }
  co_return integer_field(*found, "id");
}

Task<Result<Json>> workspace_named(MasterClient client, std::string name) {
  const auto found = co_await listed_workspace(client, name);
  DET_CO_TRY(found);
  const auto whole = co_await client.get("/api/v1/workspaces/" + std::to_string(integer_field(*found, "id")));
  DET_CO_TRY(whole);
  co_return field(*whole, "workspace");
}

Task<Result<Json>> project_named(MasterClient client, std::string workspace, std::string name) {
  if (name.empty()) co_return wrong_arguments("project name cannot be empty");
  const auto place = co_await workspace_named(client, std::move(workspace));
  DET_CO_TRY(place);
  const std::string path = "/api/v1/workspaces/" + std::to_string(integer_field(*place, "id")) + "/projects";
  const auto answer = co_await client.get(path, {{"name", name}});
  DET_CO_TRY(answer);
  const Json found = field(*answer, "projects");
  if (!found.is_array() || found.empty()) {
    co_return fail(ErrorCode::kNotFound, "project '" + name + "' not found", "project");
  }
  co_return found[0];
}

}  // namespace det::cli
