// The log of this process, for administrators.

#include <algorithm>
#include <limits>

#include "api/arguments.h"
#include "api/cluster/routes.h"
#include "base/lower_case.h"
#include "base/recent_log.h"

namespace det::api::routes {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};
constexpr std::size_t kAtATime = 200;
constexpr std::string_view kLevel = "LOG_LEVEL_";  // in front of the word that older clients have

std::string_view level_word(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "LOG_LEVEL_DEBUG";
    case LogLevel::kInfo:
      return "LOG_LEVEL_INFO";
    case LogLevel::kWarn:
      return "LOG_LEVEL_WARNING";
    case LogLevel::kError:
      return "LOG_LEVEL_ERROR";
  }
  return "LOG_LEVEL_UNSPECIFIED";
}

std::string entry_text(const RecentLine& line) {
  const wire::Json entry = {{"id", line.number},
                            {"message", line.text},
                            {"timestamp", wire::time(line.at)},
                            {"level", std::string(level_word(line.level))}};
  return wire::dump({{"result", {{"logEntry", entry}}}}) + "\n";
}

struct Wanted {
  std::int64_t after = 0;                                        // the number of the last line that is not wanted
  std::int64_t left = std::numeric_limits<std::int64_t>::max();  // lines
  bool follow = false;
};

// What is logged while it is written out counts only for who follows.
Task<void> write_lines(Clock& clock, Wanted wanted, http::Writer& writer) {
  const std::int64_t until = latest_line();
  while (wanted.left > 0) {
    const auto lines = recent_lines(wanted.after, kAtATime);
    std::string text;
    for (const RecentLine& line : lines) {
      if (wanted.left == 0 || (!wanted.follow && line.number > until)) break;
      text += entry_text(line);
      wanted.after = line.number;
      --wanted.left;
    }
    if (!text.empty() && !co_await writer.write(std::move(text))) co_return;
    if (!wanted.follow && (lines.empty() || lines.back().number >= until)) co_return;
    if (lines.size() < kAtATime) co_await clock.sleep_for(kBetweenLooks);
  }
}

}  // namespace

Task<Result<http::Response>> master_logs(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const store::Page page = query.page();
  Wanted wanted{.follow = query.boolean("follow").value_or(false)};
  DET_CO_TRY(query.status());
  if (page.limit > 0) wanted.left = page.limit;
  const std::int64_t latest = latest_line();
  const auto kept = recent_lines(0, 1);
  const std::int64_t first = kept.empty() ? latest + 1 : kept.front().number;
  wanted.after = page.offset < 0 ? std::max(first - 1, latest + page.offset)
                                 : first - 1 + std::min<std::int64_t>(page.offset, latest);
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  response.stream = [&services, wanted](http::Writer& writer) { return write_lines(services.clock, wanted, writer); };
  co_return response;
}

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
                    {"level", lower_case(std::string(level_word(line.level).substr(kLevel.size())))},
                    {"message", line.text}});
  }
  co_return ok(list);
}

}  // namespace det::api::routes
