#include <algorithm>
#include <cctype>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/projects/project_json.h"
#include "api/projects/routes.h"
#include "api/row_list.h"
#include "api/workspaces/workspace_body.h"
#include "base/log.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using store::ProjectSort;

constexpr std::size_t kLongestKey = 5;

constexpr std::pair<std::string_view, ProjectSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", ProjectSort::kId},
    {"SORT_BY_ID", ProjectSort::kId},
    {"SORT_BY_NAME", ProjectSort::kName},
    {"SORT_BY_DESCRIPTION", ProjectSort::kDescription},
    {"SORT_BY_CREATION_TIME", ProjectSort::kCreationTime},
    {"SORT_BY_LAST_EXPERIMENT_START_TIME", ProjectSort::kLastExperimentStartTime},
};

Result<store::ProjectFilter> read_filter(const http::Request& request) {
  QueryArguments query(request.query);
  store::ProjectFilter filter;
  if (path_text(request, "id") != "0") {
    const auto workspace = path_id(request);
    DET_TRY(workspace);
    filter.workspace = model::WorkspaceId{*workspace};
  }
  filter.name = query.text("name").value_or("");
  filter.archived = query.boolean("archived");
  filter.users = query.texts("users");
  for (const std::int64_t id : query.integers("userIds")) filter.user_ids.push_back({id});
  if (const auto sorts = query.words("sortBy", kSorts); !sorts.empty()) filter.sort = sorts.front();
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.page = query.page();
  DET_TRY(query.status());
  return filter;
}

// Upper case, as they are kept.
Result<std::string> read_key(std::string key) {
  std::string why;
  if (key.size() > kLongestKey) {
    why = "project key cannot be longer than 5 characters";
  } else if (key.empty()) {
    why = "project key cannot be empty";
  } else if (!std::ranges::all_of(key, [](unsigned char c) { return c < 128 && std::isalnum(c) != 0; })) {
    why = "project key can only contain alphanumeric characters: " + key;
  }
  if (!why.empty()) return fail(ErrorCode::kInvalidArgument, std::move(why), "key");
  std::ranges::transform(key, key.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return key;
}

Task<Result<http::Response>> project_response(ApiServices& services, model::ProjectId id) {
  const auto row = co_await services.stores.projects.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "project '" + to_string(id) + "' not found");
  co_return ok({{"project", project_json(**row)}});
}

}  // namespace

// Of workspace 0: of all of them.
Task<Result<http::Response>> list_projects(ApiServices& services, Call call) {
  auto filter = read_filter(call.request);
  DET_CO_TRY(filter);
  if (filter->workspace) {
    const auto owner = co_await services.stores.workspaces.owner(*filter->workspace);
    DET_CO_TRY(owner);
    if (!*owner || !may(call.caller, model::Permission::kViewProject, *filter->workspace)) {
      co_return fail(ErrorCode::kNotFound, "workspace '" + to_string(*filter->workspace) + "' not found");
    }
  }
  filter->visible = visible(call.caller, model::Permission::kViewProject);
  const store::Page page = filter->page;
  const auto read = [&services](store::ProjectFilter some) { return services.stores.projects.list(std::move(some)); };
  auto list = row_list<store::ProjectRow>("projects", std::move(*filter), read, project_json);
  co_return co_await answer_by_rows(services, std::move(list), page);
}

Task<Result<http::Response>> get_project(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  co_return co_await project_response(services, model::ProjectId{*id});
}

Task<Result<http::Response>> get_project_by_key(ApiServices& services, Call call) {
  const std::string key = path_text(call.request, "key");
  const auto row = co_await services.stores.projects.find_by_key(key);
  DET_CO_TRY(row);
  if (!*row || !may(call.caller, model::Permission::kViewProject, (*row)->workspace)) {
    co_return fail(ErrorCode::kNotFound, "project '" + key + "' not found", "key");
  }
  co_return ok({{"project", project_json(**row)}});
}

Task<Result<http::Response>> create_project(ApiServices& services, Call call) {
  const auto workspace = path_id(call.request);
  DET_CO_TRY(workspace);
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::NewProject row;
  row.workspace = {*workspace};
  row.name = fields.string("name").value_or("");
  row.description = fields.string("description").value_or("");
  row.owner = call.caller.user.id;
  const auto key = fields.string("key");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(check_project_name(row.name));
  if (key) {
    auto read = read_key(*key);
    DET_CO_TRY(read);
    row.key = std::move(*read);
  }
  const auto id = co_await services.stores.projects.create(std::move(row));
  DET_CO_TRY(id);
  call.note.object = "projects/" + to_string(*id);
  const Logger log("api");
  log.info("project created", {{"project", id->value}, {"workspace", *workspace}, {"user", call.caller.user.username}});
  co_return co_await project_response(services, *id);
}

Task<Result<http::Response>> patch_project(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  store::ProjectChange change{
      .name = fields.string("name"), .description = fields.string("description"), .key = fields.string("key")};
  DET_CO_TRY(fields.status());
  if (change.name) DET_CO_TRY(check_project_name(*change.name));
  if (change.key) {
    auto read = read_key(*change.key);
    DET_CO_TRY(read);
    change.key = std::move(*read);
  }
  DET_CO_TRY(co_await services.stores.projects.change(model::ProjectId{*id}, std::move(change)));
  co_return co_await project_response(services, model::ProjectId{*id});
}

}  // namespace det::api::routes
