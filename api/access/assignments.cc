// Giving people and groups roles, and taking them away.

#include "api/access/access_forms.h"
#include "api/access/grant_cache.h"
#include "api/access/routes.h"
#include "api/access_check.h"
#include "api/body.h"
#include "base/log.h"

namespace det::api::routes {

namespace {

// Who may assign roles in a workspace may assign there whatever can be assigned to one. Where roles do not rule, admins
// prepare them.
Status check_may_assign(const Identity& caller, const std::vector<store::RoleAssignment>& assignments) {
  if (!has_roles(caller)) {
    if (caller.user.admin) return {};
    return fail(ErrorCode::kPermissionDenied, "access denied: only admins assign roles");
  }
  for (const store::RoleAssignment& a : assignments) {
    DET_TRY(a.workspace ? require(caller, model::Permission::kAssignRoles, *a.workspace)
                        : require(caller, model::Permission::kAssignRoles));
  }
  return {};
}

Task<Result<std::vector<store::RoleAssignment>>> read_allowed(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  auto assignments = read_assignments(*body);
  DET_CO_TRY(assignments);
  DET_CO_TRY(check_may_assign(call.caller, *assignments));
  call.note.object = "roles/" + to_string(assignments->front().role);
  co_return assignments;
}

void log_all(const char* what, const Call& call, const std::vector<store::RoleAssignment>& assignments) {
  const Logger log("api");
  for (const store::RoleAssignment& a : assignments) {
    log.info(what, {{"role", a.role.value},
                    {"to_user", a.user ? to_string(*a.user) : ""},
                    {"to_group", a.group ? to_string(*a.group) : ""},
                    {"workspace", a.workspace ? to_string(*a.workspace) : "all"},
                    {"user", call.caller.user.username}});
  }
}

}  // namespace

Task<Result<http::Response>> add_assignments(ApiServices& services, Call call) {
  const auto assignments = co_await read_allowed(services, call);
  DET_CO_TRY(assignments);
  DET_CO_TRY(co_await services.stores.role_assignments.add(*assignments));
  services.grants.forget_all();
  log_all("a role was assigned", call, *assignments);
  co_return ok();
}

Task<Result<http::Response>> remove_assignments(ApiServices& services, Call call) {
  const auto assignments = co_await read_allowed(services, call);
  DET_CO_TRY(assignments);
  DET_CO_TRY(co_await services.stores.role_assignments.remove(*assignments));
  services.grants.forget_all();
  log_all("a role was taken away", call, *assignments);
  co_return ok();
}

}  // namespace det::api::routes
