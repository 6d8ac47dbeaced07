// Which workspaces a resource pool is kept for.

#include <algorithm>

#include "api/access_check.h"
#include "api/agents/hidden_pools.h"
#include "api/agents/routes.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/id_list.h"
#include "api/list_slice.h"
#include "api/nobody_may.h"
#include "base/log.h"
#include "wire/request_fields.h"

namespace det::api::routes {
namespace {

std::unexpected<Error> no_such_pool(const std::string& pool) {
  return fail(ErrorCode::kNotFound, "resource pool " + pool + " does not exist or is not available to view");
}

Status check_pool(const ApiServices& services, const std::string& pool) {
  const auto names = pool_names(services.settings.master);
  if (std::ranges::find(names, pool) != names.end()) return {};
  return no_such_pool(pool);
}

Result<store::PoolBindingStore::Workspaces> read_workspaces(const Call& call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_TRY(body);
  wire::RequestFields fields(*body);
  store::PoolBindingStore::Workspaces given;
  given.names = fields.strings("workspaceNames").value_or(std::vector<std::string>());
  DET_TRY(fields.status());
  const auto ids = read_id_list(fields.any("workspaceIds"), "workspaceIds");
  DET_TRY(ids);
  for (const std::int64_t id : *ids) given.ids.push_back({id});
  if (given.names.size() > kMostAtOnce) {
    return fail(ErrorCode::kInvalidArgument, "workspaceNames: at most " + std::to_string(kMostAtOnce) + " at once",
                "workspaceNames");
  }
  return given;
}

using Change = Task<Status> (store::PoolBindingStore::*)(std::string, store::PoolBindingStore::Workspaces);

Task<Result<http::Response>> change(ApiServices& services, Call call, Change how, const char* done) {
  const std::string pool = path_text(call.request, "name");
  auto workspaces = read_workspaces(call);
  DET_CO_TRY(workspaces);
  DET_CO_TRY(co_await (services.stores.pool_bindings.*how)(pool, std::move(*workspaces)));
  const Logger log("api");
  log.info(done, {{"pool", pool}, {"user", call.caller.user.username}});
  co_return ok(wire::Json::object());
}

}  // namespace

Task<Result<http::Response>> list_pool_bindings(ApiServices& services, Call call) {
  const std::string pool = path_text(call.request, "name");
  DET_CO_TRY(check_pool(services, pool));
  QueryArguments query(call.request.query);
  const store::Page page = query.page();
  DET_CO_TRY(query.status());
  auto bindings = co_await services.stores.pool_bindings.all();
  DET_CO_TRY(bindings);
  if (hidden_pools(*bindings, call.caller).contains(pool)) co_return no_such_pool(pool);
  std::vector<model::WorkspaceId> shown = std::move((*bindings)[pool]);
  if (const auto may_see = visible(call.caller, model::Permission::kViewWorkspace)) {
    std::erase_if(shown, [&](model::WorkspaceId id) { return std::ranges::find(*may_see, id) == may_see->end(); });
  }
  const auto slice = slice_of(page, shown.size());
  DET_CO_TRY(slice);
  wire::Json ids = wire::Json::array();
  for (std::size_t i = slice->first; i < slice->last; ++i) ids.push_back(shown[i].value);
  co_return ok({{"workspaceIds", ids}, {"pagination", slice->pagination}});
}

Task<Result<http::Response>> bind_pool(ApiServices& services, Call call) {
  const std::string pool = path_text(call.request, "name");
  DET_CO_TRY(check_pool(services, pool));
  DET_CO_TRY(check_may_be_bound(services, pool));
  co_return co_await change(services, std::move(call), &store::PoolBindingStore::bind, "pool bound");
}

Task<Result<http::Response>> replace_pool_bindings(ApiServices& services, Call call) {
  const std::string pool = path_text(call.request, "name");
  DET_CO_TRY(check_pool(services, pool));
  DET_CO_TRY(check_may_be_bound(services, pool));
  co_return co_await change(services, std::move(call), &store::PoolBindingStore::replace, "pool bindings replaced");
}

// Also of a pool that is gone, or that is a default one by now.
Task<Result<http::Response>> unbind_pool(ApiServices& services, Call call) {
  co_return co_await change(services, std::move(call), &store::PoolBindingStore::unbind, "pool unbound");
}

}  // namespace det::api::routes
