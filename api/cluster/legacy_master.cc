// The server's own log and configuration, for clients before 0.20.

#include <algorithm>
#include <limits>

#include "api/arguments.h"
#include "api/cluster/routes.h"
#include "base/recent_log.h"
#include "model/cluster/printable_config.h"

namespace det::api::routes {

namespace {

std::string_view level_word(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "info";
}

}  // namespace

// Those after "greater_than_id", or the last "tail"; whoever follows asks again.
Task<Result<http::Response>> legacy_master_logs(ApiServices&, Call call) {
  QueryArguments query(call.request.query);
  const std::int64_t after = query.integer("greater_than_id").value_or(0);
  const std::int64_t tail = query.integer("tail").value_or(std::numeric_limits<std::int64_t>::max());
  DET_CO_TRY(query.status());
  if (tail < 0) co_return fail(ErrorCode::kInvalidArgument, "tail: must be >= 0 but found " + std::to_string(tail));
  auto lines = recent_lines(std::max<std::int64_t>(after, 0), kRecentLines);
  if (std::ssize(lines) > tail) lines.erase(lines.begin(), lines.end() - tail);
  wire::Json list = wire::Json::array();
  for (const RecentLine& line : lines) {
    list.push_back({{"id", line.number},
                    {"time", wire::time(line.at)},
                    {"level", std::string(level_word(line.level))},
                    {"message", line.text}});
  }
  co_return ok(list);
}

Task<Result<http::Response>> legacy_master_config(ApiServices& services, Call) {
  co_return ok(model::printable_config(services.settings.master));
}

}  // namespace det::api::routes
