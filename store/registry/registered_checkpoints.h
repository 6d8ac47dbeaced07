#pragma once

// Which checkpoints the model registry holds, inside someone's transaction. A detail of the stores that remove
// checkpoints; who adds a version takes a lock on the checkpoint's row, as those do.

#include <string>
#include <vector>

#include "model/ids.h"
#include "store/sql.h"

namespace det::store {

// A checkpoint that is a version of a model; of one that is several, each.
struct RegisteredCheckpoint {
  std::string uuid;
  std::string version;  // "fraud-net" version 3
};

[[nodiscard]] std::vector<RegisteredCheckpoint> registered_of(pqxx::transaction_base& tx,
                                                              const std::vector<std::string>& uuids);
[[nodiscard]] std::vector<RegisteredCheckpoint> registered_of(pqxx::transaction_base& tx,
                                                              model::ExperimentId experiment);
// Of all experiments of these projects (an array literal).
[[nodiscard]] std::vector<RegisteredCheckpoint> registered_in_projects(pqxx::transaction_base& tx,
                                                                       const std::string& projects);

// kFailedPrecondition, in the words that clients know; `what` was to be done to them: "deleted".
[[nodiscard]] std::unexpected<Error> held_by_registry(const std::vector<RegisteredCheckpoint>& registered,
                                                      const std::string& what);

// "fraud-net" version 3, "ships" version 1 and 4 more.
[[nodiscard]] std::string versions_text(const std::vector<RegisteredCheckpoint>& registered);

}  // namespace det::store
