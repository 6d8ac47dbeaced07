#pragma once

// One page of the experiments that a filter lets through: first which they are, from what their order needs and nothing
// else, then what is shown of them. A detail of ExperimentStore.

#include "base/result.h"
#include "pg/pool.h"
#include "store/experiments/experiment_rows.h"
#include "store/page.h"

namespace det::store {

// kInvalidArgument "offset out of bounds" when the page starts after the end, of both.
[[nodiscard]] Result<Paged<ExperimentView>> list_experiments(pg::Transaction& tx, const ExperimentFilter& filter);
[[nodiscard]] Result<Paged<model::ExperimentId>> list_experiment_ids(pg::Transaction& tx,
                                                                     const ExperimentFilter& filter);

}  // namespace det::store
