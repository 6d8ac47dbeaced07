#pragma once

// The number of a leadership. Whoever gains the lease raises it (ClusterStore::raise_epoch), and every deciding write
// names the epoch it was decided in: one of a former leader is refused with kFailedPrecondition and changes nothing.

#include "base/strong_id.h"
#include "pg/pool.h"

namespace det::store {

struct EpochTag;
using Epoch = StrongId<EpochTag>;

// Locks the epoch row for the rest of the transaction. For .cc files of store/.
[[nodiscard]] Status check_epoch(pg::Transaction& tx, Epoch epoch);

}  // namespace det::store
