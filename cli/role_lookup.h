#pragma once

// Roles and groups by the names that people know them by, and whether the cluster has roles at all. Belongs to one
// thread.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "cli/master_client.h"
#include "cli/text.h"

namespace det::cli {

// kFailedPrecondition, with `what` in front ("RBAC commands", "User groups commands"), where the server does not offer
// them.
Task<Status> check_roles_are_shown(MasterClient client, std::string what);

// kNotFound when there is none of that name.
Task<Result<std::int64_t>> role_id(MasterClient client, std::string name);
Task<Result<std::int64_t>> group_id(MasterClient client, std::string name);

// null as "N/A", an object as Python prints it: cells as the Python command line has them.
[[nodiscard]] Json cell_of(const Json& value);

}  // namespace det::cli
