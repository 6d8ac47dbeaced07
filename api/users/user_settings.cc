// What pages keep for the user who has them open.

#include "api/arguments.h"
#include "api/users/routes.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::size_t kLongestName = 512;
constexpr std::size_t kLongestValue = 64 << 10;

Result<store::UserSetting> read_setting(const wire::Json& body, const std::string& path) {
  wire::RequestFields fields(body, path + ".");
  fields.require("key");
  store::UserSetting setting{.storage_path = fields.string("storagePath").value_or(""),
                             .key = fields.string("key").value_or(""),
                             .value = fields.string("value").value_or("")};
  DET_TRY(fields.status());
  if (setting.storage_path.size() <= kLongestName && setting.key.size() <= kLongestName &&
      setting.value.size() <= kLongestValue) {
    return setting;
  }
  return fail(ErrorCode::kInvalidArgument, path + ": a path and a key have up to 512 bytes, a value 65536", path);
}

}  // namespace

Task<Result<http::Response>> get_user_settings(ApiServices& services, Call call) {
  const auto settings = co_await services.stores.user_settings.list(call.caller.user.id);
  DET_CO_TRY(settings);
  wire::Json list = wire::Json::array();
  for (const store::UserSetting& one : *settings) {
    list.push_back({{"key", one.key}, {"storagePath", one.storage_path}, {"value", one.value}});
  }
  co_return ok({{"settings", std::move(list)}});
}

Task<Result<http::Response>> post_user_settings(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  const wire::Json* list = wire::RequestFields(*body).any("settings");
  if (list != nullptr && !list->is_array()) {
    co_return fail(ErrorCode::kInvalidArgument, "settings: expected a list, got " + std::string(list->type_name()),
                   "settings");
  }
  std::vector<store::UserSetting> settings;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    auto setting = read_setting((*list)[i], "settings[" + std::to_string(i) + "]");
    DET_CO_TRY(setting);
    settings.push_back(std::move(*setting));
  }
  DET_CO_TRY(co_await services.stores.user_settings.set(call.caller.user.id, std::move(settings)));
  co_return ok();
}

Task<Result<http::Response>> reset_user_settings(ApiServices& services, Call call) {
  DET_CO_TRY(co_await services.stores.user_settings.reset(call.caller.user.id));
  co_return ok();
}

}  // namespace det::api::routes
