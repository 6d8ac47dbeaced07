#pragma once

// Reading checkpoints from results. A detail of the stores that read them.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/checkpoints/checkpoint_store.h"
#include "store/sql.h"

namespace det::store {

// Columns of `checkpoints c JOIN tasks k`, in the order that read_checkpoint takes them.
[[nodiscard]] std::string checkpoint_columns();
constexpr int kCheckpointColumns = 11;
[[nodiscard]] CheckpointRow read_checkpoint(const pqxx::row& row);

// A LATERAL of `trials t`, `experiments e` and `checkpoints c` with one column `metric`: what a validation at the
// checkpoint's steps says of the metric whose name the expression `name` gives, of the newest run that validated there.
[[nodiscard]] std::string checkpoint_score(const std::string& name);

struct TrialCheckpoints {
  std::optional<CheckpointRow> latest;
  std::optional<CheckpointRow> best;  // of those that are whole and were validated
};
// By trial; those without checkpoints are left out.
[[nodiscard]] std::map<std::int64_t, TrialCheckpoints> latest_and_best(pqxx::transaction_base& tx,
                                                                       const std::vector<std::int64_t>& trials);

}  // namespace det::store
