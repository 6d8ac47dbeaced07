#pragma once

// A table of metrics that is read from outlines of its series (series_outline.h) instead of from all their reports. A
// detail of metric_table.h.

#include <optional>
#include <vector>

#include "pg/pool.h"
#include "store/metrics/table_series.h"

namespace det::store {

// Of the coarsest outline that shows at least `query.points` of some name. What has no outlines (yet) is outlined while
// it is read, so that every part of a curve has its share of the points. Of several names each report is whole. Nothing
// when there is no such outline, or too much would have to be outlined: then all reports are to be read.
[[nodiscard]] std::optional<MetricTable> read_outlined_table(pg::Transaction& tx, const TableQuery& query,
                                                             const std::vector<TableSeries>& all, const Thinning& thin);

}  // namespace det::store
