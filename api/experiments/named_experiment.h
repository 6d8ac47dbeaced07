#pragma once

// The experiment that a path names. Belongs to the io thread.

#include "api/call.h"

namespace det::api {

// That of the path's {id}. kInvalidArgument for what is no number, kNotFound when there is none.
Task<Result<store::ExperimentRow>> named_experiment(ApiServices& services, Call call);

}  // namespace det::api
