#pragma once

// What nobody may do, administrators neither. Who may not for want of rights is told this first: "ask your
// administrator" would be untrue. Belongs to the io thread.

#include <string>
#include <string_view>

#include "api/services.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"
#include "model/ids.h"

namespace det::api {

// kFailedPrecondition for the first workspace and its project, as Determined's master has it.
[[nodiscard]] Status check_is_mutable(const store::WorkspaceRow& row);
[[nodiscard]] Status check_is_mutable(const store::ProjectRow& row);
// kInvalidArgument for a default pool: it is what everybody gets who names none.
[[nodiscard]] Status check_may_be_bound(const ApiServices& services, const std::string& pool);

// The refusal of either of them, where the route `action` with this path is such a case. `viewer` has no right to it
// anyway.
Task<Status> check_anybody_may(ApiServices& services, std::string_view action, const http::Request& request,
                               model::UserId viewer);

}  // namespace det::api
