#pragma once

// What the end of a trial is to its search. Pure.

#include <vector>

#include "operator/trial/trial_work.h"

namespace det::op {

// In the order in which they are to be told. A trial that ends by itself before it has done what a search by operations
// gave it counts as the worst of its rung; one that has done it keeps the result that it gave, however it ends, and
// counts as completed. kInvalidArgument for a trial whose name is no request id.
[[nodiscard]] Result<std::vector<searcher::Event>> events_of_end(const WorkPlan& plan, const searcher::Search& search,
                                                                 const store::TrialRow& trial);

}  // namespace det::op
