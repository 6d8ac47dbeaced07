// Templates for clients before 0.20: without a workspace, and with their configuration as base64 of YAML.

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/templates/routes.h"
#include "api/templates/template_body.h"
#include "base/encoding.h"

namespace det::api::routes {

namespace {

constexpr model::WorkspaceId kUncategorized{1};

// JSON is YAML.
wire::Json to_json(const store::TemplateRow& row) {
  return {{"name", row.name}, {"config", base64_encode(wire::dump(row.config))}};
}

}  // namespace

Task<Result<http::Response>> legacy_list_templates(ApiServices& services, Call call) {
  store::TemplateFilter filter;
  filter.visible = visible(call.caller, model::Permission::kViewTemplates);
  const auto rows = co_await services.stores.templates.list(std::move(filter));
  DET_CO_TRY(rows);
  wire::Json list = wire::Json::array();
  for (const store::TemplateRow& row : rows->items) list.push_back(to_json(row));
  co_return ok(list);
}

Task<Result<http::Response>> legacy_get_template(ApiServices& services, Call call) {
  const std::string name = path_text(call.request, "name");
  const auto row = co_await services.stores.templates.find(name);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "template '" + name + "' not found", "name");
  co_return ok(to_json(**row));
}

// The body is the configuration. A template that is there keeps its workspace and its owner.
Task<Result<http::Response>> legacy_put_template(ApiServices& services, Call call) {
  auto config = co_await read_template_config(services, call.request);
  DET_CO_TRY(config);
  const std::string name = path_text(call.request, "name");
  const auto before = co_await services.stores.templates.find(name);
  DET_CO_TRY(before);
  const auto needed = *before ? model::Permission::kUpdateTemplates : model::Permission::kCreateTemplates;
  DET_CO_TRY(require(call.caller, needed, *before ? (**before).workspace : kUncategorized));
  store::TemplateRow row{.name = name, .config = std::move(*config), .workspace = {}, .owner = call.caller.user.id};
  if (!*before) row.workspace = kUncategorized;
  DET_CO_TRY(co_await services.stores.templates.put(std::move(row), changes_only_of(call.caller)));
  co_return ok();
}

}  // namespace det::api::routes
