#pragma once

// Whether a caller may do what a route does, by the route's policy. Belongs to the io thread.

#include <string>

#include "api/route_policy.h"

namespace det::api {

// kPermissionDenied with a sentence that says what would be allowed. What does not exist passes: the handler says that
// it is not there.
Task<Status> authorize(ApiServices& services, const RoutePolicy& policy, const http::Request& request,
                       SharedIdentity identity);

// For routes with Who::kItsTask whose body names the task: the same for this one.
Task<Status> check_task(ApiServices& services, Identity caller, std::string task_id);

// Whether the caller may report for the trials of this experiment, which run outside of the cluster.
Task<Status> check_reporter(ApiServices& services, Identity caller, model::ExperimentId experiment);

// Whether the caller may do to this experiment what only its owner and admins may: delete it.
Task<Status> check_experiment_owner(ApiServices& services, Identity caller, model::ExperimentId experiment);

}  // namespace det::api
