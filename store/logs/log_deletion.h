#pragma once

// Logs of tasks whose rows are about to go, a part at a time: all of a long one would take longer than a statement may.

#include <cstdint>
#include <vector>

#include "store/sql.h"

namespace det::store {

// Deletes some chunks of these tasks' logs. True when there may be more of them.
[[nodiscard]] bool delete_some_logs(pqxx::transaction_base& tx, const std::vector<std::int64_t>& tasks);

}  // namespace det::store
