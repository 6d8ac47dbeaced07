#include "api/workspaces/workspace_body.h"

#include <algorithm>
#include <cctype>

#include "api/access_check.h"
#include "base/printable.h"
#include "model/cluster/workspace_defaults.h"
#include "model/expconf/secret_fields.h"
#include "wire/forms.h"

namespace det::api {

namespace {

constexpr std::size_t kLongestWorkspaceName = 80;
constexpr std::size_t kLongestProjectName = 255;

std::unexpected<Error> wrong_name(std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), "name");
}

Status check_letters(std::string_view name) {
  if (std::ranges::all_of(name, [](unsigned char c) { return std::isspace(c) != 0; })) {
    return wrong_name("name must contain at least non-whitespace letter");
  }
  const bool acts = std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (acts || printable(name) != name) return wrong_name("name must not hold control characters");
  return {};
}

}  // namespace

Status check_workspace_name(std::string_view name) {
  if (name.empty()) return wrong_name("name '' must be at least 1 character long");
  // The number of the sentence is Determined's own mistake.
  if (name.size() > kLongestWorkspaceName) {
    return wrong_name("name '" + std::string(name) + "' must be at most 53 character long");
  }
  return check_letters(name);
}

Status check_project_name(std::string_view name) {
  if (name.empty()) return wrong_name("name '' must be at least 1 character long");
  if (name.size() > kLongestProjectName) return wrong_name("name must be at most 255 bytes long");
  return check_letters(name);
}

Task<Status> check_default_pool(ApiServices& services, std::optional<model::WorkspaceId> workspace, std::string pool,
                                std::string field) {
  if (pool.empty()) co_return Status();
  const bool exists = std::ranges::count(model::pool_names(services.settings.master), pool) > 0;
  const auto admits =
      co_await services.stores.pool_bindings.admits(pool, workspace.value_or(model::WorkspaceId{0}));  // 0 is nobody's
  DET_CO_TRY(admits);
  if (exists && *admits) co_return Status();
  co_return fail(ErrorCode::kFailedPrecondition,
                 "unable to bind a resource pool that does not exist or is not available to the workspace",
                 std::move(field));
}

Result<wire::Json> read_storage(const ApiServices& services, const wire::Json& given, const wire::Json& stored) {
  constexpr const char* kField = "checkpointStorageConfig";
  if (!given.is_object()) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(kField) + ": expected an object, got " + std::string(given.type_name()), kField);
  }
  if (given.empty()) return wire::Json();
  if (!stored.is_null() && given == shown_storage(stored)) return stored;
  const wire::Json section = {{"checkpoint_storage", given}};
  if (model::drop_masks(section) != section) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(kField) +
                    " holds ********, which stands for a secret that is kept: write the secret "
                    "itself, or leave the field out to keep all that there is",
                kField);
  }
  const FieldErrors errors = model::check_workspace_storage(given, services.settings.master, services.settings.ns);
  if (!errors.empty()) {
    Error error = joined_error(errors, "<workspace>");
    error.field = kField;
    return std::unexpected(std::move(error));
  }
  return given;
}

Status check_may_set_account(const Identity& caller, std::optional<model::WorkspaceId> workspace) {
  if (has_roles(caller) && caller.kind == TokenKind::kLogin) {
    constexpr model::Permission kNeeded = model::Permission::kSetWorkspaceAgentUserGroup;
    return workspace ? require(caller, kNeeded, *workspace) : require(caller, kNeeded);
  }
  if (caller.user.admin && caller.kind == TokenKind::kLogin) return {};
  return fail(ErrorCode::kPermissionDenied, "only admin privileged users can set workspace agent user groups");
}

wire::Json shown_storage(const wire::Json& storage) {
  if (storage.is_null()) return storage;
  return model::hide_secrets({{"checkpoint_storage", storage}})["checkpoint_storage"];
}

wire::Json workspace_json(const store::WorkspaceRow& row, bool with_storage) {
  wire::Json agent;
  if (row.agent.uid) agent["agentUid"] = *row.agent.uid;
  if (row.agent.gid) agent["agentGid"] = *row.agent.gid;
  if (row.agent.user) agent["agentUser"] = *row.agent.user;
  if (row.agent.group) agent["agentGroup"] = *row.agent.group;
  wire::Json json = {{"id", row.id.value},
                     {"name", row.name},
                     {"archived", row.archived},
                     {"immutable", row.immutable},
                     {"userId", row.owner.value},
                     {"username", row.owner_name},
                     {"numProjects", row.projects},
                     {"numExperiments", row.experiments},
                     {"pinned", row.pinned_at.has_value()},
                     {"state", "WORKSPACE_STATE_" + std::string(to_string(row.state))},
                     {"errorMessage", row.error},
                     {"agentUserGroup", std::move(agent)},
                     {"defaultComputePool", row.defaults.compute_pool},
                     {"defaultAuxPool", row.defaults.aux_pool}};
  if (row.pinned_at) json["pinnedAt"] = wire::time(*row.pinned_at);
  if (with_storage) json["checkpointStorageConfig"] = shown_storage(row.defaults.checkpoint_storage);
  return json;
}

}  // namespace det::api
