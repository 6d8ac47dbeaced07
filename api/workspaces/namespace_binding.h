#pragma once

// The Kubernetes namespace that a workspace is bound to: where the server puts what is started in it. Belongs to the io
// thread.

#include <cstdint>
#include <optional>
#include <string>

#include "api/call.h"
#include "store/cluster/workspace_rows.h"
#include "wire/request_fields.h"

namespace det::api {

// What clusterNamespaceMeta asks for.
struct WantedBinding {
  std::optional<std::string> ns;
  bool is_made = false;  // the namespace is to be made
  std::optional<std::int64_t> quota;

  [[nodiscard]] bool is_given() const { return ns.has_value() || is_made; }
};
// kInvalidArgument for another cluster than that without a name.
[[nodiscard]] Result<WantedBinding> read_binding(const wire::RequestFields& fields);
// kInvalidArgument where it asks for a quota, too: only a new workspace comes with one.
[[nodiscard]] Status check_asks_for_no_quota(const WantedBinding& wanted, const wire::RequestFields& fields);

// kPermissionDenied for who is no administrator of the cluster: a namespace has secrets, volumes and a pod policy of
// its own. `workspace`: nothing for one that is being made.
[[nodiscard]] Status check_may_bind(const Identity& caller, std::optional<model::WorkspaceId> workspace);

// Whether the operator can run pods there: kInvalidArgument for what is no name or no namespace of the cluster,
// kFailedPrecondition for one that is not enabled.
Task<Status> check_namespace(ApiServices& services, std::string ns);

// Of a workspace, where the operator makes namespaces.
[[nodiscard]] std::string made_namespace(model::WorkspaceId workspace);
// kUnimplemented in a cluster, where the operator has no right to make namespaces and none inside of new ones; in local
// mode the Kubernetes API is its own. kFailedPrecondition where the file says which namespaces there are.
[[nodiscard]] Status check_may_make_namespace(const Settings& settings);
// Makes it where it is missing, and binds the workspace to it; the name.
Task<Result<std::string>> bind_to_made_namespace(ApiServices& services, model::WorkspaceId workspace);

// Checks what is wanted and does it: the namespace that the workspace is bound to from now on. Who may is asked before.
Task<Result<std::string>> bind_workspace(ApiServices& services, model::WorkspaceId workspace, WantedBinding wanted);

// {"": {...}} as clients list it.
[[nodiscard]] wire::Json binding_json(model::WorkspaceId workspace, const std::string& ns);

}  // namespace det::api
