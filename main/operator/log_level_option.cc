#include "main/operator/log_level_option.h"

#include <map>
#include <string>

namespace det::main {

void add_log_level_option(CLI::App& app, LogLevel& level) {
  const auto choose = [&level](const std::string& name) {
    static const std::map<std::string, LogLevel> levels = {
        {"debug", LogLevel::kDebug}, {"info", LogLevel::kInfo}, {"warn", LogLevel::kWarn}, {"error", LogLevel::kError}};
    level = levels.at(name);
  };
  app.add_option_function<std::string>("--log-level", choose, "debug, info, warn or error")
      ->transform(CLI::IsMember({"debug", "info", "warn", "error"}, CLI::ignore_case))
      ->default_str("info");
}

}  // namespace det::main
