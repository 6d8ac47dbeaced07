#pragma once

// Whether a caller may do what a route does, by the roles the caller has. What tokens may at all is authorize.h's
// matter. Belongs to the io thread.

#include "api/route_policy.h"

namespace det::api {

// kNotFound for an object that the caller may not look at, in the words for one that there is not; kPermissionDenied
// for one that may be looked at. What does not exist passes: the handler says that it is not there.
Task<Status> authorize_by_roles(ApiServices& services, const RoutePolicy& policy, const http::Request& request,
                                Identity caller);

// The same for a task that a body names: who may change it may report for it.
Task<Status> check_task_by_roles(ApiServices& services, Identity caller, std::string task_id);

}  // namespace det::api
