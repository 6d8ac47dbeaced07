#pragma once

// The table of runs that hold slots: `det task list`, and what is left on agents that drain. Pure.

#include "cli/table.h"
#include "cli/text.h"

namespace det::cli {

// `summaries`: allocationIdToSummary of GET /api/v1/tasks.
[[nodiscard]] Table allocation_table(const Json& summaries);
// The names of the agents that the run of this summary has pods on; a name per pod.
[[nodiscard]] std::vector<std::string> agents_of(const Json& summary);

}  // namespace det::cli
