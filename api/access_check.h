#pragma once

// What handlers ask of a caller's roles, where the table of routes cannot (Exempt::kHandlerAsks). Where roles do not
// rule (security.authz.type: basic) all of these let through: owners and admins are the table's matter then, and the
// handlers'. Belongs to the io thread.

#include <optional>
#include <string>
#include <vector>

#include "api/call.h"

namespace det::api {

// The caller with what the caller's roles permit, where roles rule: who is an administrator they say then, too.
Task<Result<SharedIdentity>> with_grants(ApiServices& services, SharedIdentity caller);

// Whether roles say what the caller may.
[[nodiscard]] inline bool has_roles(const Identity& caller) {
  return caller.grants != nullptr;
}
// An administrator of the whole cluster: by the flag, or by a role that may change users.
[[nodiscard]] bool is_admin(const Identity& caller);

// kPermissionDenied in Determined's words.
[[nodiscard]] std::unexpected<Error> access_denied(model::Permission needed);
// Everywhere, or in one workspace.
[[nodiscard]] Status require(const Identity& caller, model::Permission needed);
[[nodiscard]] Status require(const Identity& caller, model::Permission needed, model::WorkspaceId workspace);
[[nodiscard]] Status require_all(const Identity& caller, model::Permission needed,
                                 const std::vector<model::WorkspaceId>& workspaces);
[[nodiscard]] bool may(const Identity& caller, model::Permission needed, model::WorkspaceId workspace);

// What lists are narrowed to: the workspaces where it is permitted; nothing: all.
using Visible = std::optional<std::vector<model::WorkspaceId>>;
[[nodiscard]] Visible visible(const Identity& caller, model::Permission needed);
// `asked` without what is not visible; nothing of both: all.
[[nodiscard]] Visible narrowed(Visible asked, const Identity& caller, model::Permission needed);

// Of things that are named by a query or a body. Who may not look at one gets kNotFound, as for one that there is not
// ("experiment '7' not found"); who may look at all and not do it gets kPermissionDenied. What there is not passes.
Task<Status> require_experiments(ApiServices& services, Identity caller, std::vector<std::int64_t> ids,
                                 model::Permission needed);
Task<Status> require_trials(ApiServices& services, Identity caller, std::vector<std::int64_t> ids,
                            model::Permission needed);
Task<Status> require_checkpoints(ApiServices& services, Identity caller, std::vector<std::string> uuids,
                                 model::Permission needed);
// No name: nothing is used.
Task<Status> require_template(ApiServices& services, Identity caller, std::string name);
Task<Status> require_project(ApiServices& services, Identity caller, model::ProjectId id, model::Permission needed);

}  // namespace det::api
