// Groups of people.

#include "api/access/access_forms.h"
#include "api/access/grant_cache.h"
#include "api/access/routes.h"
#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/id_list.h"

namespace det::api::routes {

namespace {

using model::Permission;

constexpr std::int64_t kMostListed = 500;
constexpr std::size_t kLongestName = 255;
constexpr std::string_view kReserved = "DeterminedPersonalGroup";

// Who may assign roles sees all groups; others see their own.
bool sees_all_groups(const Identity& caller) {
  return !caller.grants || caller.grants->somewhere(Permission::kAssignRoles);
}

Status check_name(const std::string& name) {
  if (name.empty()) return fail(ErrorCode::kInvalidArgument, "missing argument: name", "name");
  if (name.size() > kLongestName) {
    return fail(ErrorCode::kInvalidArgument, "name: up to " + std::to_string(kLongestName) + " bytes work", "name");
  }
  // Clients of Determined's server take such a group for one person's.
  if (name.contains(kReserved)) {
    return fail(ErrorCode::kInvalidArgument, "group name cannot contain '" + std::string(kReserved) + "'", "name");
  }
  return {};
}

template <typename Id>
Result<std::vector<Id>> read_ids(wire::RequestFields& fields, const std::string& name) {
  const auto given = read_id_list(fields.any(name), name);
  DET_TRY(given);
  std::vector<Id> ids;
  for (const std::int64_t id : *given) ids.push_back({id});
  return ids;
}

http::Response group_response(const store::UserGroupDetails& group) {
  return ok({{"group", group_json(group)}});
}

}  // namespace

Task<Result<http::Response>> search_groups(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::UserGroupFilter filter;
  filter.name = fields.string("name").value_or("");
  if (const auto user = fields.integer("userId"); user && *user != 0) filter.user = model::UserId{*user};
  filter.page.offset = fields.integer("offset").value_or(0);
  filter.page.limit = fields.integer("limit").value_or(0);
  DET_CO_TRY(fields.status());
  if (filter.page.limit <= 0 || filter.page.limit > kMostListed) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "Bad request: limit is required and must be <= " + std::to_string(kMostListed), "limit");
  }
  if (!sees_all_groups(call.caller)) filter.viewer = call.caller.user.id;
  const store::Page page = filter.page;
  const auto rows = co_await services.stores.user_groups.list(std::move(filter));
  DET_CO_TRY(rows);
  wire::Json groups = wire::Json::array();
  for (const store::UserGroupRow& row : rows->items) {
    groups.push_back({{"group", {{"groupId", row.id.value}, {"name", row.name}}}, {"numMembers", row.members}});
  }
  co_return ok({{"groups", std::move(groups)}, {"pagination", pagination(page, *rows)}});
}

Task<Result<http::Response>> create_group(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const std::string name = fields.string("name").value_or("");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(check_name(name));
  auto users = read_ids<model::UserId>(fields, "addUsers");
  DET_CO_TRY(users);
  const auto made = co_await services.stores.user_groups.create(name, std::move(*users));
  DET_CO_TRY(made);
  services.grants.forget_all();
  call.note.object = "groups/" + to_string(made->group.id);
  co_return group_response(*made);
}

Task<Result<http::Response>> get_group(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const model::UserGroupId group{*id};
  if (!sees_all_groups(call.caller)) {
    const auto is_in = co_await services.stores.user_groups.is_member(group, call.caller.user.id);
    DET_CO_TRY(is_in);
    if (!*is_in) co_return fail(ErrorCode::kNotFound, "group '" + to_string(group) + "' not found");
  }
  const auto found = co_await services.stores.user_groups.find(group);
  DET_CO_TRY(found);
  co_return group_response(*found);
}

Task<Result<http::Response>> put_group(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::UserGroupChange change;
  change.name = fields.string("name");
  DET_CO_TRY(fields.status());
  if (change.name && change.name->empty()) change.name.reset();
  if (change.name) DET_CO_TRY(check_name(*change.name));
  auto add = read_ids<model::UserId>(fields, "addUsers");
  DET_CO_TRY(add);
  auto remove = read_ids<model::UserId>(fields, "removeUsers");
  DET_CO_TRY(remove);
  change.add = std::move(*add);
  change.remove = std::move(*remove);
  const auto changed = co_await services.stores.user_groups.change({*id}, std::move(change));
  DET_CO_TRY(changed);
  services.grants.forget_all();
  co_return group_response(*changed);
}

Task<Result<http::Response>> delete_group(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  DET_CO_TRY(co_await services.stores.user_groups.remove({*id}));
  services.grants.forget_all();
  co_return ok();
}

Task<Result<http::Response>> assign_groups(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  auto users = read_ids<model::UserId>(fields, "userIds");
  DET_CO_TRY(users);
  auto add = read_ids<model::UserGroupId>(fields, "addGroups");
  DET_CO_TRY(add);
  auto remove = read_ids<model::UserGroupId>(fields, "removeGroups");
  DET_CO_TRY(remove);
  DET_CO_TRY(co_await services.stores.user_groups.assign(std::move(*users), std::move(*add), std::move(*remove)));
  services.grants.forget_all();
  co_return ok();
}

}  // namespace det::api::routes
