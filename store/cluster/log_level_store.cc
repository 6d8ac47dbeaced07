#include "store/cluster/log_level_store.h"

#include "store/channels.h"
#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::pair<std::string_view, LogLevel> kLevels[] = {
    {"debug", LogLevel::kDebug}, {"info", LogLevel::kInfo}, {"warn", LogLevel::kWarn}, {"error", LogLevel::kError}};

}  // namespace

Task<Status> LogLevelStore::announce(LogLevel level) {
  std::string payload;
  for (const auto& [word, each] : kLevels) {
    if (each == level) payload = word;
  }
  auto body = [payload](pg::Transaction& tx) -> Status {
    notify(tx, kLogLevelChannel, payload);
    return {};
  };
  co_return co_await pool_.write("announce the log level", std::move(body));
}

std::optional<LogLevel> level_of_payload(std::string_view payload) {
  for (const auto& [word, level] : kLevels) {
    if (word == payload) return level;
  }
  return std::nullopt;
}

}  // namespace det::store
