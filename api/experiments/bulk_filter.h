#pragma once

// "filters" of requests that are about many experiments (v1BulkExperimentFilters). Belongs to the io thread.

#include <optional>
#include <vector>

#include "api/services.h"
#include "wire/request_fields.h"

namespace det::api {

// Nothing when there are none.
[[nodiscard]] Result<std::optional<store::ExperimentFilter>> read_bulk_filter(wire::RequestFields& fields);

// kInvalidArgument for more than kMostAtOnce.
Task<Result<std::vector<model::ExperimentId>>> find_filtered(ApiServices& services, store::ExperimentFilter filter);

}  // namespace det::api
