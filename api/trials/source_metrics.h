#pragma once

// What trials reported that used something of somebody's, a checkpoint or a version of a model: batch inference.
// Belongs to the io thread.

#include <string>
#include <vector>

#include "api/call.h"

namespace det::api {

// Of one answer; the latest trials come first.
inline constexpr int kMostSourceTrials = 100;

// v1Get...MetricsResponse, of those that the caller may look at. An empty group: all.
Task<Result<http::Response>> metrics_of_trials(ApiServices& services, Identity caller,
                                               std::vector<model::TrialId> trials, std::string group);

}  // namespace det::api
