#pragma once

// Which checkpoints may be removed, and what is written down of it, inside someone's transaction. A detail of
// RemovalStore and of the stores that read checkpoints to start from.

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/checkpoints/gc_plan.h"
#include "model/ids.h"
#include "store/removals/removal_rows.h"
#include "store/sql.h"

namespace det::store {

// As a condition on a row of checkpoints: its files are going, or may be gone in part.
inline std::string is_being_removed(const std::string& checkpoint) {
  return "EXISTS (SELECT 1 FROM removal_checkpoints rc JOIN removals r ON r.id = rc.removal_id WHERE rc.uuid = " +
         checkpoint + ".uuid AND r.state = 'PENDING')";
}
// Of `c`.
inline const std::string kIsBeingRemoved = is_being_removed("c");

// Whom the files of a checkpoint may be of use to, beside the model registry, which keeps all of its own.
enum class Needs : std::uint8_t {
  kRunning,  // what runs or has not ended: the latest of a trial, what it started from, what it names as its source
  kAll,      // beside that, what any trial started from, as upstream's policy keeps it
};

// Of these, the ones that are needed. The rows are locked before, so that no run starts from them meanwhile.
[[nodiscard]] std::set<std::string> needed_checkpoints(pqxx::transaction_base& tx,
                                                       const std::vector<std::string>& uuids, Needs needs);

// kFailedPrecondition where other experiments, which have not ended or have a run that is open, start or go on from
// checkpoints of this one, or of those in these projects (an array of ids). `what` has them, for people. The rows of
// one experiment's checkpoints are locked before, so that no run starts from them meanwhile.
[[nodiscard]] Status check_unneeded(pqxx::transaction_base& tx, const std::string& what,
                                    model::ExperimentId experiment);
[[nodiscard]] Status check_unneeded(pqxx::transaction_base& tx, const std::string& what, const std::string& projects);

// The first ids, of which there is one at least, and how many more there are: "1, 2 and 5 more".
[[nodiscard]] std::string name_some(const pqxx::result& ids);

// What the policy gives up of an experiment now: not what is deleted, is being removed or is needed.
enum class Plan : std::uint8_t {
  kPreview,  // only reads
  kFinal,    // the rows are locked, as by needed_checkpoints
};
[[nodiscard]] std::vector<std::string> given_up(pqxx::transaction_base& tx, model::ExperimentId experiment,
                                                const model::GcPolicy& policy, Plan plan);

struct NewRemoval {
  model::ExperimentId experiment;
  std::vector<std::string> uuids;
  std::vector<std::string> globs;
  bool tensorboard = false;
  std::string reason;
};
// One row per storage and 5,000 checkpoints. Checkpoints that are not where the experiment keeps its files are left.
// Returns how many checkpoints it is about.
std::int64_t insert_removals(pqxx::transaction_base& tx, const NewRemoval& removal);

// kAborted when the files of this checkpoint are going; else they stay while the transaction lasts.
[[nodiscard]] Status hold_checkpoint(pqxx::transaction_base& tx, const std::string& uuid);

}  // namespace det::store
