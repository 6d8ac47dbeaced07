#pragma once

// What a workspace may use at once: a ResourceQuota object in the namespace that is its alone, which the API server and
// the scheduler keep to. Nothing of it is in the database. Belongs to the io thread.

#include <cstdint>
#include <optional>
#include <string>

#include "api/call.h"
#include "store/cluster/workspace_rows.h"
#include "wire/request_fields.h"

namespace det::api {

// "<namespace>-quota", as Determined calls it.
[[nodiscard]] std::string quota_name(const std::string& ns);

// kInvalidArgument, after `path`, for what is no whole number from 0 to 2147483647.
[[nodiscard]] Result<std::int64_t> read_quota_number(const wire::Json& number, const std::string& path);
// The GPUs that clusterQuotaPairs asks for; nothing where it asks for none. kInvalidArgument for another cluster than
// that without a name.
[[nodiscard]] Result<std::optional<std::int64_t>> read_quota(const wire::RequestFields& fields);

// kPermissionDenied for who is no administrator of the cluster: its workloads elsewhere pay for what this one gets.
[[nodiscard]] Status check_may_set_quota(const Identity& caller);

// kFailedPrecondition where others start things in `ns`, too: the server's own namespace, and one to which another
// workspace is bound. `workspace`: nothing for one that is being made. Empty `ns`: it is bound to none.
Task<Status> check_quota_is_its_own(ApiServices& services, std::string ns, std::optional<model::WorkspaceId> workspace);

// Makes the quota or changes it. kFailedPrecondition where the namespace has a smaller one of somebody else, and where
// one of that name is somebody else's. `is_trial`: the API server is asked, and nothing is written.
Task<Status> set_quota(ApiServices& services, std::string ns, std::int64_t gpus, bool is_trial);

// The smallest quota of GPUs in `ns`, whoever made it; nothing where there is none.
Task<Result<std::optional<double>>> find_quota(ApiServices& services, std::string ns);

}  // namespace det::api
