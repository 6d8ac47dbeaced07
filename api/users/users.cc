// Users, to read.

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/users/routes.h"
#include "api/users/user_fields.h"
#include "api/views.h"

namespace det::api::routes {

namespace {

using store::UserSort;

constexpr std::pair<std::string_view, UserSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", UserSort::kId},     {"SORT_BY_DISPLAY_NAME", UserSort::kDisplayName},
    {"SORT_BY_USER_NAME", UserSort::kUsername}, {"SORT_BY_ADMIN", UserSort::kAdmin},
    {"SORT_BY_ACTIVE", UserSort::kActive},      {"SORT_BY_MODIFIED_TIME", UserSort::kModifiedTime},
    {"SORT_BY_NAME", UserSort::kName},          {"SORT_BY_LAST_AUTH_TIME", UserSort::kLastAuthTime},
    {"SORT_BY_REMOTE", UserSort::kRemote},
};

}  // namespace

Task<Result<http::Response>> me(ApiServices&, Call call) {
  co_return user_response(call.caller.user);
}

Task<Result<http::Response>> list_users(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  store::UserFilter filter;
  filter.name_part = query.text("name").value_or("");
  filter.active = query.boolean("active");
  filter.admin = query.boolean("admin");
  const auto sorts = query.words("sortBy", kSorts);
  if (!sorts.empty()) filter.sort = sorts.front();
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.page = query.page();
  const auto roles = query.integers("roleIdAssignedDirectlyToUser");
  DET_CO_TRY(query.status());
  if (has_roles(call.caller)) {
    filter.roles = roles;
  } else if (!roles.empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "cannot filter by role id. RBAC must be enabled.",
                   "roleIdAssignedDirectlyToUser");
  }
  const store::Page page = filter.page;
  const auto users = co_await services.stores.users.list(std::move(filter));
  DET_CO_TRY(users);
  wire::Json list = wire::Json::array();
  for (const store::UserRow& row : users->items) list.push_back(wire::to_json(to_wire(row)));
  co_return ok({{"users", list}, {"pagination", pagination(page, *users)}});
}

Task<Result<http::Response>> get_user(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto user = co_await services.stores.users.find(model::UserId{*id});
  DET_CO_TRY(user);
  if (!*user) co_return user_not_found(std::to_string(*id));
  co_return user_response(**user);
}

Task<Result<http::Response>> get_user_by_name(ApiServices& services, Call call) {
  const std::string name = path_text(call.request, "name");
  const auto user = co_await services.stores.users.find_by_name(name);
  DET_CO_TRY(user);
  if (!*user) co_return user_not_found(name);
  co_return user_response(**user);
}

}  // namespace det::api::routes
