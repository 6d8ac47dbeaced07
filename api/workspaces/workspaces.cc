#include "api/access/grant_cache.h"
#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/nobody_may.h"
#include "api/users/agent_account.h"
#include "api/workspaces/named_workspace.h"
#include "api/workspaces/namespace_binding.h"
#include "api/workspaces/routes.h"
#include "api/workspaces/workspace_body.h"
#include "api/workspaces/workspace_quota.h"
#include "base/log.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// Whether by name.
constexpr std::pair<std::string_view, bool> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", false}, {"SORT_BY_ID", false}, {"SORT_BY_NAME", true}};

// Where roles rule: whoever makes a workspace could otherwise not even look at it.
std::optional<model::RoleId> role_of_creator(const model::AuthzConfig& authz) {
  if (!authz.has_roles || !authz.assigns_to_creator) return std::nullopt;
  return authz.creator_role;
}

// Pages save the namespace with all else of a workspace: the one that they were shown, which is the server's own for a
// workspace that is bound to none. That changes nothing; upstream never keeps a binding to that one.
bool binds_anew(const WantedBinding& wanted, const std::string& bound, const std::string& own) {
  return wanted.is_made || (wanted.ns && *wanted.ns != (bound.empty() ? own : bound));
}

// What a new workspace comes with, as far as it can be said before there is one.
struct NewPlace {
  WantedBinding binding;
  std::optional<std::int64_t> quota;
};

Task<Result<NewPlace>> place_of_new(ApiServices& services, wire::RequestFields fields, Identity caller) {
  const auto binding = read_binding(fields);
  DET_CO_TRY(binding);
  const auto quota = read_quota(fields);
  DET_CO_TRY(quota);
  NewPlace place{.binding = *binding, .quota = *quota ? *quota : binding->quota};
  if (binding->is_given()) DET_CO_TRY(check_may_bind(caller, std::nullopt));
  if (place.quota) DET_CO_TRY(check_may_set_quota(caller));
  if (binding->is_made) DET_CO_TRY(check_may_make_namespace(services.settings));
  if (binding->ns) DET_CO_TRY(co_await check_namespace(services, *binding->ns));
  if (place.quota && !binding->is_made) {
    const std::string ns = binding->ns.value_or("");
    DET_CO_TRY(co_await check_quota_is_its_own(services, ns, std::nullopt));
    DET_CO_TRY(co_await set_quota(services, ns, *place.quota, true));
  }
  co_return place;
}

// After the row, because the namespace may be named after it. What was to be asked was asked.
Task<Status> give_new_its_place(ApiServices& services, model::WorkspaceId id, NewPlace place) {
  std::string ns = place.binding.ns.value_or("");
  if (place.binding.is_made) {
    auto made = co_await bind_to_made_namespace(services, id);
    DET_CO_TRY(made);
    ns = std::move(*made);
  }
  if (place.quota) DET_CO_TRY(co_await set_quota(services, ns, *place.quota, false));
  co_return Status();
}

// `asks`: the request named a namespace, perhaps the one that all have without a binding.
Task<Result<http::Response>> workspace_response(ApiServices& services, Call call, model::WorkspaceId id, bool asks) {
  const auto row = co_await services.stores.workspaces.find(id, call.caller.user.id);
  DET_CO_TRY(row);
  const std::string& ns = row->defaults.ns.empty() && asks ? services.settings.ns : row->defaults.ns;
  co_return ok({{"workspace", workspace_json(*row, true)},
                {"namespaceBindings", ns.empty() ? wire::Json::object() : binding_json(id, ns)}});
}

}  // namespace

Task<Result<http::Response>> list_workspaces(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  store::WorkspaceFilter filter;
  filter.viewer = call.caller.user.id;
  filter.visible = visible(call.caller, model::Permission::kViewWorkspace);
  filter.name = query.text("name").value_or("");
  filter.exact_name = query.text("nameCaseSensitive").value_or("");
  filter.archived = query.boolean("archived");
  filter.pinned = query.boolean("pinned");
  filter.users = query.texts("users");
  for (const std::int64_t id : query.integers("userIds")) filter.user_ids.push_back({id});
  if (const auto sorts = query.words("sortBy", kSorts); !sorts.empty()) filter.by_name = sorts.front();
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.page = query.page();
  DET_CO_TRY(query.status());
  const store::Page page = filter.page;
  const auto rows = co_await services.stores.workspaces.list(std::move(filter));
  DET_CO_TRY(rows);
  wire::Json list = wire::Json::array();
  for (const store::WorkspaceRow& row : rows->items) list.push_back(workspace_json(row, false));
  co_return ok({{"workspaces", std::move(list)}, {"pagination", pagination(page, *rows)}});
}

Task<Result<http::Response>> get_workspace(ApiServices& services, Call call) {
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  co_return ok({{"workspace", workspace_json(*row, true)}});
}

Task<Result<http::Response>> create_workspace(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::NewWorkspace row;
  row.name = fields.string("name").value_or("");
  row.owner = call.caller.user.id;
  row.defaults.compute_pool = fields.string("defaultComputePool").value_or("");
  row.defaults.aux_pool = fields.string("defaultAuxPool").value_or("");
  const bool has_account = fields.any("agentUserGroup") != nullptr;
  wire::RequestFields group = fields.object("agentUserGroup");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(check_workspace_name(row.name));
  const auto place = co_await place_of_new(services, fields, call.caller);
  DET_CO_TRY(place);
  row.defaults.ns = place->binding.ns.value_or("");
  if (has_account) DET_CO_TRY(check_may_set_account(call.caller, std::nullopt));
  const auto account = read_account_override(group);
  DET_CO_TRY(account);
  row.agent = *account;
  DET_CO_TRY(co_await check_default_pool(services, std::nullopt, row.defaults.compute_pool, "defaultComputePool"));
  DET_CO_TRY(co_await check_default_pool(services, std::nullopt, row.defaults.aux_pool, "defaultAuxPool"));
  if (const wire::Json* given = fields.any("checkpointStorageConfig")) {
    auto storage = read_storage(services, *given, wire::Json());
    DET_CO_TRY(storage);
    row.defaults.checkpoint_storage = std::move(*storage);
  }
  row.owner_role = role_of_creator(services.settings.master.authz);
  const auto id = co_await services.stores.workspaces.create(std::move(row));
  DET_CO_TRY(id);
  if (has_roles(call.caller)) services.grants.forget_all();
  if (const Status placed = co_await give_new_its_place(services, *id, *place); !placed) {
    co_return std::unexpected(with_context(placed.error(), "the workspace is there, its namespace or quota is not"));
  }
  call.note.object = "workspaces/" + to_string(*id);
  const Logger log("api");
  log.info("workspace created", {{"workspace", id->value}, {"user", call.caller.user.username}});
  co_return co_await workspace_response(services, call, *id, place->binding.is_given());
}

Task<Result<http::Response>> patch_workspace(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  DET_CO_TRY(check_is_mutable(*row));
  wire::RequestFields fields(*body);
  store::WorkspaceChange change;
  change.name = fields.string("name");
  // The names without "Resource" are older, and Determined does not look at them.
  change.compute_pool = fields.string("defaultComputeResourcePool");
  change.aux_pool = fields.string("defaultAuxResourcePool");
  const bool has_account = fields.any("agentUserGroup") != nullptr;
  wire::RequestFields group = fields.object("agentUserGroup");
  DET_CO_TRY(fields.status());
  const auto binding = read_binding(fields);
  DET_CO_TRY(binding);
  DET_CO_TRY(check_asks_for_no_quota(*binding, fields));
  const bool binds = binds_anew(*binding, row->defaults.ns, services.settings.ns);
  if (binding->is_given()) DET_CO_TRY(check_may_bind(call.caller, row->id));
  if (binding->is_made) DET_CO_TRY(check_may_make_namespace(services.settings));
  if (binds && binding->ns) DET_CO_TRY(co_await check_namespace(services, *binding->ns));
  if (change.name) {
    DET_CO_TRY(require(call.caller, model::Permission::kUpdateWorkspace, row->id));
    DET_CO_TRY(check_workspace_name(*change.name));
  }
  if (change.compute_pool || change.aux_pool) {
    DET_CO_TRY(require(call.caller, model::Permission::kSetWorkspaceDefaultResourcePool, row->id));
  }
  if (has_account) {
    const auto account = read_account_override(group);
    DET_CO_TRY(account);
    // Clients send back what they were shown.
    if (*account != row->agent) {
      DET_CO_TRY(check_may_set_account(call.caller, row->id));
      change.agent = *account;
    }
  }
  if (change.compute_pool) {
    DET_CO_TRY(co_await check_default_pool(services, row->id, *change.compute_pool, "defaultComputeResourcePool"));
  }
  if (change.aux_pool) {
    DET_CO_TRY(co_await check_default_pool(services, row->id, *change.aux_pool, "defaultAuxResourcePool"));
  }
  if (const wire::Json* given = fields.any("checkpointStorageConfig")) {
    DET_CO_TRY(require(call.caller, model::Permission::kSetWorkspaceCheckpointStorageConfig, row->id));
    auto storage = read_storage(services, *given, row->defaults.checkpoint_storage);
    DET_CO_TRY(storage);
    change.checkpoint_storage = std::move(*storage);
  }
  DET_CO_TRY(co_await services.stores.workspaces.change(row->id, std::move(change)));
  if (binds) {
    const auto bound = co_await bind_workspace(services, row->id, *binding);
    if (!bound) {
      co_return std::unexpected(with_context(bound.error(), "its namespace is as it was, all else is changed"));
    }
  }
  co_return co_await workspace_response(services, call, row->id, binding->is_given());
}

}  // namespace det::api::routes
