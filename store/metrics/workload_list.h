#pragma once

// One page of what a trial measured and saved, in order of steps. Each series gives as many reports as the page and
// what is before it can need, so that a page costs what it is far from its end of the list, not what the trial has
// reported. A detail of MetricStore.

#include "base/result.h"
#include "pg/pool.h"
#include "store/metrics/metric_store.h"
#include "store/page.h"

namespace det::store {

// kInvalidArgument "offset out of bounds" when the page starts after the end.
[[nodiscard]] Result<Paged<WorkloadRow>> list_workloads(pg::Transaction& tx, const WorkloadQuery& query);

}  // namespace det::store
