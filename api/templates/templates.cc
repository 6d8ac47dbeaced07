#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/row_list.h"
#include "api/templates/routes.h"
#include "api/templates/template_body.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::int64_t kDefaultWorkspace = 1;

wire::Json to_json(const store::TemplateRow& row) {
  return {{"name", row.name}, {"config", row.config}, {"workspaceId", row.workspace.value}};
}

http::Response template_response(const store::TemplateRow& row) {
  return ok({{"template", to_json(row)}});
}

// Of the request's path and body.
Result<store::TemplateRow> read_new_template(const Call& call, const wire::Json& body) {
  wire::RequestFields fields(body);
  store::TemplateRow row;
  row.name = path_text(call.request, "name");
  const std::int64_t workspace = fields.integer("workspaceId").value_or(0);
  row.workspace = {workspace == 0 ? kDefaultWorkspace : workspace};
  row.owner = call.caller.user.id;
  DET_TRY(require(call.caller, model::Permission::kCreateTemplates, row.workspace));
  fields.require("config");
  DET_TRY(fields.status());
  row.config = *fields.any("config");
  if (!row.config.is_object()) return no_template_config(row.config);
  return row;
}

// What of `before` is to be another. Clients send back where it is.
Result<store::TemplateRow> read_template_change(const Call& call, const wire::Json& body,
                                                const store::TemplateRow& before) {
  DET_TRY(require(call.caller, model::Permission::kUpdateTemplates, before.workspace));
  wire::RequestFields fields(body);
  store::TemplateRow row;
  row.name = before.name;
  const model::WorkspaceId workspace{fields.integer("workspaceId").value_or(0)};
  DET_TRY(fields.status());
  if (workspace.value != 0 && workspace != before.workspace) {
    DET_TRY(require(call.caller, model::Permission::kCreateTemplates, workspace));
    row.workspace = workspace;
  }
  if (const wire::Json* config = fields.any("config")) row.config = *config;
  if (!row.config.is_null() && !row.config.is_object()) return no_template_config(row.config);
  return row;
}

constexpr std::pair<std::string_view, bool> kSorts[] = {{"SORT_BY_UNSPECIFIED", true}, {"SORT_BY_NAME", true}};

}  // namespace

Task<Result<http::Response>> list_templates(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  store::TemplateFilter filter;
  filter.name_part = query.text("name").value_or("");
  for (const std::int64_t id : query.integers("workspaceIds")) filter.workspaces.push_back({id});
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.page = query.page();
  filter.visible = visible(call.caller, model::Permission::kViewTemplates);
  query.words("sortBy", kSorts);  // by name, whether that is said or not
  DET_CO_TRY(query.status());
  const store::Page page = filter.page;
  const auto read = [&services](store::TemplateFilter some) { return services.stores.templates.list(std::move(some)); };
  auto list = row_list<store::TemplateRow>("templates", std::move(filter), read, to_json);
  co_return co_await answer_by_rows(services, std::move(list), page);
}

Task<Result<http::Response>> get_template(ApiServices& services, Call call) {
  const std::string name = path_text(call.request, "name");
  const auto row = co_await services.stores.templates.find(name);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "template '" + name + "' not found", "name");
  co_return template_response(**row);
}

Task<Result<http::Response>> create_template(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  const auto row = read_new_template(call, *body);
  DET_CO_TRY(row);
  DET_CO_TRY(co_await services.stores.templates.create(*row));
  co_return template_response(*row);
}

Task<Result<http::Response>> put_template(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  const auto before = co_await services.stores.templates.find(path_text(call.request, "name"));
  DET_CO_TRY(before);
  auto row = *before ? read_template_change(call, *body, **before) : read_new_template(call, *body);
  DET_CO_TRY(row);
  const auto put = co_await services.stores.templates.put(std::move(*row), changes_only_of(call.caller));
  DET_CO_TRY(put);
  co_return template_response(*put);
}

// {"oldName","newName"}
Task<Result<http::Response>> rename_template(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("oldName");
  fields.require("newName");
  const std::string name = fields.string("oldName").value_or("");
  const std::string new_name = fields.string("newName").value_or("");
  DET_CO_TRY(fields.status());
  if (new_name.empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "newName: a template needs a name, got ''", "newName");
  }
  const auto row = co_await services.stores.templates.find(name);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "template '" + name + "' not found", "oldName");
  DET_CO_TRY(require(call.caller, model::Permission::kUpdateTemplates, (*row)->workspace));
  if (const auto only_of = changes_only_of(call.caller); only_of && (*row)->owner != only_of) {
    co_return fail(ErrorCode::kPermissionDenied, "only its owner and admins can rename a template");
  }
  call.note.object = "templates/" + name;
  const auto renamed = co_await services.stores.templates.rename(name, new_name);
  DET_CO_TRY(renamed);
  co_return template_response(*renamed);
}

Task<Result<http::Response>> patch_template(ApiServices& services, Call call) {
  auto config = co_await read_template_config(services, call.request);
  DET_CO_TRY(config);
  const auto row = co_await services.stores.templates.set_config(path_text(call.request, "name"), std::move(*config),
                                                                 changes_only_of(call.caller));
  DET_CO_TRY(row);
  co_return template_response(*row);
}

Task<Result<http::Response>> delete_template(ApiServices& services, Call call) {
  DET_CO_TRY(co_await services.stores.templates.remove(path_text(call.request, "name")));
  co_return ok();
}

}  // namespace det::api::routes
