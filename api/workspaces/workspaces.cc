#include <algorithm>
#include <cctype>

#include "api/arguments.h"
#include "api/workspaces/named_workspace.h"
#include "api/workspaces/routes.h"

namespace det::api::routes {

namespace {

wire::Json to_json(const store::WorkspaceRow& row) {
  return {{"id", row.id.value},
          {"name", row.name},
          {"archived", row.archived},
          {"immutable", row.immutable},
          {"userId", row.owner.value},
          {"username", row.owner_name},
          {"numProjects", row.projects},
          {"numExperiments", row.experiments},
          {"pinned", false},
          {"state", "WORKSPACE_STATE_UNSPECIFIED"},
          {"errorMessage", ""}};
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Task<Result<http::Response>> list_workspaces(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const auto exact = query.text("nameCaseSensitive");
  const std::string part = lower(query.text("name").value_or(""));
  const auto archived = query.boolean("archived");
  const store::Page page = query.page();
  DET_CO_TRY(query.status());
  auto rows = co_await services.stores.workspaces.list();
  DET_CO_TRY(rows);
  std::erase_if(*rows, [&](const store::WorkspaceRow& row) {
    return (exact && !exact->empty() && row.name != *exact) || lower(row.name).find(part) == std::string::npos ||
           (archived && row.archived != *archived);
  });
  store::Paged<store::WorkspaceRow> given;
  given.total = std::ssize(*rows);
  given.offset = page.offset < 0 ? std::max<std::int64_t>(0, given.total + page.offset) : page.offset;
  if (given.offset > given.total) co_return fail(ErrorCode::kInvalidArgument, "offset out of bounds", "offset");
  const std::int64_t end = page.limit == 0 ? given.total : std::min(given.total, given.offset + page.limit);
  wire::Json list = wire::Json::array();
  for (std::int64_t i = given.offset; i < end; ++i) {
    given.items.push_back((*rows)[static_cast<std::size_t>(i)]);
    list.push_back(to_json(given.items.back()));
  }
  co_return ok({{"workspaces", std::move(list)}, {"pagination", pagination(page, given)}});
}

Task<Result<http::Response>> get_workspace(ApiServices& services, Call call) {
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  co_return ok({{"workspace", to_json(*row)}});
}

}  // namespace det::api::routes
