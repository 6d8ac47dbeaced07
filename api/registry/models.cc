// The registry's models, to read.

#include <algorithm>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/registry/registry_forms.h"
#include "api/registry/routes.h"
#include "api/row_list.h"

namespace det::api::routes {

namespace {

using store::RegisteredModelSort;

constexpr std::pair<std::string_view, RegisteredModelSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", RegisteredModelSort::kId},
    {"SORT_BY_NAME", RegisteredModelSort::kName},
    {"SORT_BY_DESCRIPTION", RegisteredModelSort::kDescription},
    {"SORT_BY_CREATION_TIME", RegisteredModelSort::kCreationTime},
    {"SORT_BY_LAST_UPDATED_TIME", RegisteredModelSort::kChangeTime},
    {"SORT_BY_NUM_VERSIONS", RegisteredModelSort::kVersions},
    {"SORT_BY_WORKSPACE", RegisteredModelSort::kWorkspace},
};

// Ids count when there are both; names that there are not name nothing.
Task<Result<std::optional<std::vector<model::WorkspaceId>>>> workspaces_of(ApiServices& services,
                                                                           std::vector<std::int64_t> ids,
                                                                           std::vector<std::string> names) {
  if (ids.empty() && names.empty()) co_return std::nullopt;
  std::vector<model::WorkspaceId> workspaces;
  for (const std::int64_t id : ids) workspaces.push_back({id});
  if (!ids.empty()) co_return workspaces;
  const auto rows = co_await services.stores.workspaces.list({.with_counts = false});
  DET_CO_TRY(rows);
  for (const store::WorkspaceRow& row : rows->items) {
    if (std::ranges::find(names, row.name) != names.end()) workspaces.push_back(row.id);
  }
  co_return workspaces;
}

}  // namespace

Task<Result<http::Response>> list_models(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  store::RegisteredModelFilter filter;
  if (const auto id = query.integer("id"); id && *id != 0) filter.id = model::RegisteredModelId{*id};
  filter.name_part = query.text("name").value_or("");
  filter.description_part = query.text("description").value_or("");
  filter.labels = query.texts("labels");
  filter.archived = query.boolean("archived");
  filter.owner_names = query.texts("users");
  for (const std::int64_t id : query.integers("userIds")) filter.owners.push_back({id});
  const auto workspace_ids = query.integers("workspaceIds");
  const auto workspace_names = query.texts("workspaceNames");
  const auto sorts = query.words("sortBy", kSorts);
  if (!sorts.empty()) filter.sort = sorts.front();
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.page = query.page();
  DET_CO_TRY(query.status());
  auto workspaces = co_await workspaces_of(services, workspace_ids, workspace_names);
  DET_CO_TRY(workspaces);
  filter.workspaces = narrowed(std::move(*workspaces), call.caller, model::Permission::kViewModelRegistry);
  const store::Page page = filter.page;
  const auto read = [&services](store::RegisteredModelFilter some) {
    return services.stores.models.list(std::move(some));
  };
  auto list = row_list<store::RegisteredModelRow>("models", std::move(filter), read, model_json);
  co_return co_await answer_by_rows(services, std::move(list), page);
}

Task<Result<http::Response>> get_model(ApiServices& services, Call call) {
  const auto row = co_await named_model(services, call);
  DET_CO_TRY(row);
  co_return ok({{"model", model_json(*row)}});
}

Task<Result<http::Response>> model_labels(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const auto id = query.integer("workspaceId");
  DET_CO_TRY(query.status());
  Visible workspaces;
  if (id && *id > 0) workspaces = {model::WorkspaceId{*id}};
  workspaces = narrowed(std::move(workspaces), call.caller, model::Permission::kViewModelRegistry);
  const auto labels = co_await services.stores.models.labels(std::move(workspaces));
  DET_CO_TRY(labels);
  co_return ok({{"labels", *labels}});
}

}  // namespace det::api::routes
