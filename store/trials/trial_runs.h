#pragma once

// How a run of a trial starts, inside someone's transaction. A detail of the stores that start runs.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "pg/pool.h"
#include "store/trials/trial_rows.h"

namespace det::store {

// As TrialStore::start_run has it. `revives`: also of a trial that is over, as programs do that run outside of the
// cluster; otherwise that is kFailedPrecondition.
[[nodiscard]] Status start_trial_run(pg::Transaction& tx, model::TrialId id, const NewRun& run, bool revives);

// The open runs of an experiment, the oldest first.
[[nodiscard]] std::vector<OpenRun> read_open_runs(pg::Transaction& tx, std::int64_t experiment);

}  // namespace det::store
