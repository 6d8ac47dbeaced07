#pragma once

// Moves of an experiment to another resource pool, as its object asks for them. Belongs to the io thread.

#include "operator/experiment/live_settings.h"
#include "operator/services.h"
#include "store/experiments/experiment_rows.h"

namespace det::op {

// `allowed` without a move to a pool where the experiment may not go. `row` is as it was before.
Task<Result<AllowedSettings>> allow_move(OperatorServices& services, store::ExperimentRow row, AllowedSettings allowed);

}  // namespace det::op
