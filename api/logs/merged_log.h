#pragma once

// The logs of many trials as one, the newest lines first. Belongs to the io thread.

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "model/ids.h"
#include "store/logs/log_store.h"

namespace det::api {

// Where a line stands among those of all trials: by time, then trial, then number.
struct LogPlace {
  WallTime time;
  model::TrialId trial;
  std::int64_t id = 0;

  auto operator<=>(const LogPlace&) const = default;
};
// "2026-11-21T02:00:00.000000Z,7,12"; nothing for another text.
[[nodiscard]] std::string to_text(const LogPlace& place);
[[nodiscard]] std::optional<LogPlace> read_place(std::string_view text);

struct MergedTrial {
  model::TrialId id;
  std::string task_id;
  WallTime start;
  std::optional<WallTime> end;
};

struct MergedLine {
  model::TrialId trial;
  store::NumberedLine line;
};

struct MergedPage {
  std::vector<MergedLine> lines;
  std::optional<LogPlace> next;  // from where to go on; nothing: that was all
};

struct MergeQuery {
  store::LogQuery lines;           // limit: at least 1; task_id and order are not looked at
  std::optional<LogPlace> before;  // only lines at an earlier place
};

// Shows up to `limit` lines of one task to the sink, the newest first, until it has enough.
using ReadNewest = std::function<Task<Status>(store::LogQuery query, store::LineSink sink)>;

// A page has fewer lines than `limit` where they are long. Reads only trials that can have lines among those: each
// trial's lines are expected between its start and its end, with five minutes to spare, because pods have clocks of
// their own. An error is one of `read`.
Task<Result<MergedPage>> merge_newest(std::vector<MergedTrial> trials, MergeQuery query, ReadNewest read);

}  // namespace det::api
