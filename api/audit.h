#pragma once

// Requests as events of the audit log (base/audit_log.h). Belongs to the io thread.

#include <string>

#include "api/call.h"
#include "api/route_policy.h"
#include "base/audit_log.h"

namespace det::api {

// Records what changes something, whatever came of it, and of everything else what was refused (401, 403, 429), under
// "denied". `reason`: the refusal's message.
void audit_request(AuditLog& log, const RouteEntry& entry, const http::Request& request, const AuditNote& note,
                   int status, std::string reason);

// What the path names: "experiments/5" of /api/v1/experiments/{id}/kill, empty where the pattern has no parameter.
// Pure.
[[nodiscard]] std::string audit_object(std::string_view pattern, const http::Params& params);

}  // namespace det::api
