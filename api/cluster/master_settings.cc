// What of the master's configuration changes while it runs: the level of its own log.

#include <algorithm>

#include "api/cluster/routes.h"
#include "model/cluster/printable_config.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::pair<std::string_view, LogLevel> kLevels[] = {
    {"LOG_LEVEL_TRACE", LogLevel::kDebug}, {"LOG_LEVEL_DEBUG", LogLevel::kDebug},
    {"LOG_LEVEL_INFO", LogLevel::kInfo},   {"LOG_LEVEL_WARNING", LogLevel::kWarn},
    {"LOG_LEVEL_ERROR", LogLevel::kError}, {"LOG_LEVEL_CRITICAL", LogLevel::kError}};

constexpr std::string_view kLevelPath = "log.level";
constexpr std::string_view kColorPath = "log.color";

// {"paths":["log.level"]}, or "log.level,log.color" as protobuf's own JSON has it.
Result<std::vector<std::string>> read_mask(const wire::Json& body) {
  wire::RequestFields fields(body);
  std::vector<std::string> paths;
  const wire::Json* mask = fields.any("fieldMask");
  if (mask != nullptr && mask->is_object()) {
    wire::RequestFields inner = fields.object("fieldMask");
    paths = inner.strings("paths").value_or(std::vector<std::string>());
    DET_TRY(inner.status());
  } else {
    std::string word;
    for (const char c : fields.string("fieldMask").value_or("") + ",") {
      if (c != ',') {
        word += c;
      } else if (!word.empty()) {
        paths.push_back(std::exchange(word, {}));
      }
    }
    DET_TRY(fields.status());
  }
  if (paths.empty()) {
    return fail(ErrorCode::kInvalidArgument, "fieldMask: names nothing to change; log.level can be changed",
                "fieldMask");
  }
  for (const std::string& path : paths) {
    if (path == kLevelPath || path == kColorPath || path == "log") continue;
    return fail(ErrorCode::kInvalidArgument,
                "fieldMask: '" + path + "' cannot be changed while the master runs; log.level can", "fieldMask");
  }
  return paths;
}

Result<LogLevel> read_level(wire::RequestFields& log) {
  const std::string word = log.string("level").value_or("");
  DET_TRY(log.status());
  for (const auto& [name, level] : kLevels) {
    if (name == word) return level;
  }
  return fail(
      ErrorCode::kInvalidArgument,
      "config.log.level: expected LOG_LEVEL_TRACE, _DEBUG, _INFO, _WARNING, _ERROR or _CRITICAL, got '" + word + "'",
      "config.log.level");
}

}  // namespace

// {"config":{"log":{"level":"LOG_LEVEL_DEBUG"}},"fieldMask":{"paths":["log.level"]}}
Task<Result<http::Response>> patch_master_config(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  const auto paths = read_mask(*body);
  DET_CO_TRY(paths);
  wire::RequestFields fields(*body);
  wire::RequestFields config = fields.object("config");
  wire::RequestFields log = config.object("log");
  const auto names = [&](std::string_view path) {
    return std::ranges::find(*paths, path) != paths->end() || std::ranges::find(*paths, "log") != paths->end();
  };
  // The log is lines of text for programs: it never has colors, so that only wanting some is an error.
  const bool wants_color = names(kColorPath) && log.boolean("color").value_or(false);
  for (const Status& status : {fields.status(), config.status(), log.status()}) {
    DET_CO_TRY(status);
  }
  if (wants_color) {
    co_return fail(ErrorCode::kUnimplemented, "config.log.color: this master's log has no colors; off is what it is",
                   "config.log.color");
  }
  if (names(kLevelPath)) {
    const auto level = read_level(log);
    DET_CO_TRY(level);
    DET_CO_TRY(co_await services.stores.log_level.announce(*level));
  }
  // Older clients want the key.
  co_return ok({{"config", model::printable_config(services.settings.master)}});
}

}  // namespace det::api::routes
