#pragma once

// Workspaces by the names that people know them by. Belongs to one thread.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "cli/master_client.h"
#include "cli/text.h"

namespace det::cli {

// kNotFound when there is none of that name, kFailedPrecondition when it is archived.
Task<Result<std::int64_t>> workspace_id(MasterClient client, std::string name);
// The same ones whole, archived or not: a v1Workspace, and a v1Project of it.
Task<Result<Json>> workspace_named(MasterClient client, std::string name);
Task<Result<Json>> project_named(MasterClient client, std::string workspace, std::string name);

}  // namespace det::cli
