#pragma once

// Reading checkpoints from results. A detail of the stores that read them.

#include <map>
#include <string>
#include <vector>

#include "store/checkpoints/checkpoint_store.h"
#include "store/sql.h"

namespace det::store {

// Columns of `checkpoints c JOIN tasks k`, in the order that read_checkpoint takes them.
[[nodiscard]] std::string checkpoint_columns();
constexpr int kCheckpointColumns = 11;
[[nodiscard]] CheckpointRow read_checkpoint(const pqxx::row& row);

// Per trial its latest checkpoint, and the one at its best validation if there is one.
[[nodiscard]] std::multimap<std::int64_t, CheckpointRow> latest_and_best(pqxx::transaction_base& tx,
                                                                         const std::vector<std::int64_t>& trials);

}  // namespace det::store
