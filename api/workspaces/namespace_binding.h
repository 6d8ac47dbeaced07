#pragma once

// The Kubernetes namespace that a workspace is bound to: where the server puts what is started in it. Belongs to the io
// thread.

#include <optional>
#include <string>

#include "api/call.h"
#include "store/cluster/workspace_rows.h"
#include "wire/request_fields.h"

namespace det::api {

// The namespace that clusterNamespaceMeta asks for; nothing where it asks for none. kInvalidArgument for another
// cluster than that without a name; kUnimplemented for a namespace that is to be made, and for quotas.
[[nodiscard]] Result<std::optional<std::string>> read_binding(const wire::RequestFields& fields);

// kPermissionDenied for who is no administrator of the cluster: a namespace has secrets, volumes and a pod policy of
// its own. `workspace`: nothing for one that is being made.
[[nodiscard]] Status check_may_bind(const Identity& caller, std::optional<model::WorkspaceId> workspace);

// Whether the operator can run pods there: kInvalidArgument for what is no name or no namespace of the cluster,
// kFailedPrecondition for one that is not enabled.
Task<Status> check_namespace(ApiServices& services, std::string ns);

// {"": {...}} as clients list it.
[[nodiscard]] wire::Json binding_json(model::WorkspaceId workspace, const std::string& ns);

}  // namespace det::api
