#pragma once

// The user that somebody is whom the provider knows: found by name, made where the configuration says so, and kept as
// the provider has them. Belongs to the io thread.

#include "api/call.h"
#include "model/access/id_token.h"

namespace det::api {

// kNotFound "user has not been provisioned", kInvalidArgument for a user who logs in here by password, and
// kPermissionDenied for one who is not active; these are changed in nothing.
Task<Result<store::UserRow>> remote_user(ApiServices& services, const Call& call, model::RemotePerson person);

}  // namespace det::api
