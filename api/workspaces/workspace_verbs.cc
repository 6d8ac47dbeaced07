#include <algorithm>

#include "api/arguments.h"
#include "api/workspaces/named_workspace.h"
#include "api/workspaces/routes.h"
#include "base/log.h"

namespace det::api::routes {

namespace {

Task<Result<http::Response>> set_archived(ApiServices& services, Call call, bool archived) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  DET_CO_TRY(co_await services.stores.workspaces.set_archived(model::WorkspaceId{*id}, archived));
  co_return ok();
}

Task<Result<http::Response>> set_pinned(ApiServices& services, Call call, bool pinned) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  DET_CO_TRY(co_await services.stores.workspaces.set_pinned(model::WorkspaceId{*id}, call.caller.user.id, pinned));
  co_return ok();
}

}  // namespace

Task<Result<http::Response>> archive_workspace(ApiServices& services, Call call) {
  return set_archived(services, std::move(call), true);
}

Task<Result<http::Response>> unarchive_workspace(ApiServices& services, Call call) {
  return set_archived(services, std::move(call), false);
}

Task<Result<http::Response>> pin_workspace(ApiServices& services, Call call) {
  return set_pinned(services, std::move(call), true);
}

Task<Result<http::Response>> unpin_workspace(ApiServices& services, Call call) {
  return set_pinned(services, std::move(call), false);
}

Task<Result<http::Response>> delete_workspace(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto completed = co_await services.stores.removals.begin_delete_workspace(model::WorkspaceId{*id});
  DET_CO_TRY(completed);
  const Logger log("api");
  log.info(*completed ? "workspace deleted" : "workspace is being deleted",
           {{"workspace", *id}, {"user", call.caller.user.username}});
  co_return ok({{"completed", *completed}});
}

// Those that are bound to it, and those that are bound to nobody.
Task<Result<http::Response>> workspace_pools(ApiServices& services, Call call) {
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  QueryArguments query(call.request.query);
  const store::Page page = query.page();
  DET_CO_TRY(query.status());
  std::vector<std::string> names = model::pool_names(services.settings.master);
  const auto bindings = co_await services.stores.pool_bindings.all();
  DET_CO_TRY(bindings);
  std::erase_if(names, [&](const std::string& name) {
    const auto bound = bindings->find(name);
    return bound != bindings->end() && std::ranges::find(bound->second, row->id) == bound->second.end();
  });
  store::Paged<std::string> given;
  given.total = std::ssize(names);
  given.offset = page.offset < 0 ? std::max<std::int64_t>(0, given.total + page.offset) : page.offset;
  if (given.offset > given.total) co_return fail(ErrorCode::kInvalidArgument, "offset out of bounds", "offset");
  const std::int64_t end =
      page.limit <= 0 ? given.total : given.offset + std::min(page.limit, given.total - given.offset);
  for (std::int64_t i = given.offset; i < end; ++i) given.items.push_back(names[static_cast<std::size_t>(i)]);
  co_return ok({{"resourcePools", given.items}, {"pagination", pagination(page, given)}});
}

}  // namespace det::api::routes
