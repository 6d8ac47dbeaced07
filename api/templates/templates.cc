#include "api/arguments.h"
#include "api/body.h"
#include "api/templates/routes.h"
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

std::unexpected<Error> wrong_config(const wire::Json& config) {
  return fail(ErrorCode::kInvalidArgument,
              "a template's config is a map of configuration fields, not " + std::string(config.type_name()), "config");
}

}  // namespace

Task<Result<http::Response>> list_templates(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  store::TemplateFilter filter;
  filter.name_part = query.text("name").value_or("");
  for (const std::int64_t id : query.integers("workspaceIds")) filter.workspaces.push_back({id});
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.page = query.page();
  DET_CO_TRY(query.status());
  const store::Page page = filter.page;
  const auto rows = co_await services.stores.templates.list(std::move(filter));
  DET_CO_TRY(rows);
  wire::Json list = wire::Json::array();
  for (const store::TemplateRow& row : rows->items) list.push_back(to_json(row));
  co_return ok({{"templates", std::move(list)}, {"pagination", pagination(page, *rows)}});
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
  wire::RequestFields fields(*body);
  store::TemplateRow row;
  row.name = path_text(call.request, "name");
  const std::int64_t workspace = fields.integer("workspaceId").value_or(0);
  row.workspace = {workspace == 0 ? kDefaultWorkspace : workspace};
  row.owner = call.caller.user.id;
  fields.require("config");
  DET_CO_TRY(fields.status());
  row.config = *fields.any("config");
  if (!row.config.is_object()) co_return wrong_config(row.config);
  DET_CO_TRY(co_await services.stores.templates.create(row));
  co_return template_response(row);
}

Task<Result<http::Response>> patch_template(ApiServices& services, Call call) {
  // The body is the configuration itself.
  auto config =
      co_await read_body(services, call.request, [](std::string_view text) { return wire::parse_any_body(text); });
  DET_CO_TRY(config);
  if (!config->is_object()) co_return wrong_config(*config);
  const auto row = co_await services.stores.templates.set_config(path_text(call.request, "name"), std::move(*config));
  DET_CO_TRY(row);
  co_return template_response(*row);
}

Task<Result<http::Response>> delete_template(ApiServices& services, Call call) {
  DET_CO_TRY(co_await services.stores.templates.remove(path_text(call.request, "name")));
  co_return ok();
}

}  // namespace det::api::routes
