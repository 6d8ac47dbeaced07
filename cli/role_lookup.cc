#include "cli/role_lookup.h"

#include <utility>

#include "cli/place_tables.h"
#include "cli/wrong_arguments.h"

namespace det::cli {

Task<Status> check_roles_are_shown(MasterClient client, std::string what) {
  const auto master = co_await client.get("/api/v1/master");
  DET_CO_TRY(master);
  if (field(*master, "rbacEnabled") == true) co_return Status();
  co_return fail(ErrorCode::kFailedPrecondition,
                 what + " require security.authz.type: rbac, or security.authz.rbac_ui_enabled, in master.yaml");
}

Task<Result<std::int64_t>> role_id(MasterClient client, std::string name) {
  Json body = {{"limit", 500}, {"offset", 0}};
  const auto answer = co_await client.send("POST", "/api/v1/roles/search", std::move(body));
  DET_CO_TRY(answer);
  for (const Json& role : field(*answer, "roles")) {
    if (text_field(role, "name") == name) co_return integer_field(role, "roleId");
  }
  co_return fail(ErrorCode::kNotFound, "could not find role name " + name, "role_name");
}

Task<Result<std::int64_t>> group_id(MasterClient client, std::string name) {
  if (name.empty()) co_return wrong_arguments("user group name cannot be empty");  // the server takes it for any
  Json body = {{"name", name}, {"limit", 1}, {"offset", 0}};
  const auto answer = co_await client.send("POST", "/api/v1/groups/search", std::move(body));
  DET_CO_TRY(answer);
  const Json groups = field(*answer, "groups");
  if (!groups.is_array() || groups.size() != 1) {
    co_return fail(ErrorCode::kNotFound, "could not find user group name " + name, "group_name");
  }
  co_return integer_field(field(groups[0], "group"), "groupId");
}

Json cell_of(const Json& value) {
  if (value.is_null()) return "N/A";
  return value.is_object() ? Json(python_text(value)) : value;
}

}  // namespace det::cli
