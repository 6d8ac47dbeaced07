#include "api/templates/template_body.h"

#include "api/access_check.h"
#include "api/body.h"
#include "wire/request_fields.h"

namespace det::api {

std::unexpected<Error> no_template_config(const wire::Json& config) {
  return fail(ErrorCode::kInvalidArgument,
              "a template's config is a map of configuration fields, not " + std::string(config.type_name()), "config");
}

std::optional<model::UserId> changes_only_of(const Identity& caller) {
  if (has_roles(caller) || caller.user.admin) return std::nullopt;
  return caller.user.id;
}

Task<Result<wire::Json>> read_template_config(ApiServices& services, const http::Request& request) {
  auto config = co_await read_body(services, request, [](std::string_view text) { return wire::parse_any_body(text); });
  DET_CO_TRY(config);
  if (!config->is_object()) co_return no_template_config(*config);
  co_return config;
}

}  // namespace det::api
