#pragma once

// The workspace that a path names. Belongs to the io thread.

#include "api/call.h"
#include "api/services.h"

namespace det::api {

// That of the path's {id}. kInvalidArgument for what is no number, kNotFound when there is none.
Task<Result<store::WorkspaceRow>> named_workspace(ApiServices& services, Call call);

}  // namespace det::api
