#pragma once

// Whether what is of a workspace may run in a resource pool that is kept for some. Belongs to the io thread.

#include <optional>
#include <string>

#include "accept/submission.h"
#include "base/task.h"
#include "store/cluster/pool_binding_store.h"

namespace det::accept {

// Nothing where it may. An administrator can change it, so that the objection may pass.
Task<Result<std::optional<Objection>>> check_pool_admits(store::PoolBindingStore& bindings, std::string pool,
                                                         model::WorkspaceId workspace);

}  // namespace det::accept
