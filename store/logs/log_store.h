#pragma once

// Reading task logs: chunks are scanned and filtered here, a batch of chunks at a time, so that a long log streams
// without being held in memory. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/turns.h"
#include "pg/pool.h"
#include "store/logs/log_chunk.h"
#include "store/page.h"

namespace det::store {

struct NumberedLine {
  std::int64_t id = 0;  // 1, 2, 3, ... within its task
  LogLine line;
};

// Empty fields do not filter; lists mean "one of".
struct LogQuery {
  std::string task_id;
  std::int64_t after_id = 0;   // ascending: only larger ids
  std::int64_t before_id = 0;  // descending: only smaller ids; 0: all
  std::int64_t limit = 0;      // 0: all
  Order order = Order::kAscending;
  std::vector<LineLevel> levels;
  std::vector<int> rank_ids;  // -1: lines without a rank
  std::vector<std::string> allocation_ids;
  std::vector<std::string> agent_ids;
  std::vector<std::string> container_ids;
  std::vector<std::string> sources;
  std::vector<StdType> stdtypes;
  std::optional<WallTime> after;   // time > after
  std::optional<WallTime> before;  // time <= before
  std::string search_text;
  bool search_is_regex = false;
};

// Gets lines in order, on the io thread, and may suspend (a slow reader holds the scan); false ends the scan.
using LineSink = std::function<Task<bool>(std::vector<NumberedLine>)>;

class LogStore {
 public:
  explicit LogStore(pg::Pool& pool) : pool_(pool) {}

  // Streams what is there now and returns the last id that was looked at (also of lines that the filters left out):
  // follow by calling again with it as after_id when LogWriter::committed() or kLogChannel says so. An unknown task has
  // no lines. kInvalidArgument for a search_text that is not a regular expression, or one that takes seconds to look
  // for.
  Task<Result<std::int64_t>> scan(LogQuery query, LineSink sink);
  // Number of lines.
  Task<Result<std::int64_t>> count(std::string task_id);
  // Whether each of these lines, times included, is among the last ones of the task: then they are a post that is sent
  // again because its answer was lost. Looks at a bounded number of chunks; not at all of a log, so false is a guess.
  Task<Result<bool>> has(std::string task_id, std::shared_ptr<const std::vector<LogLine>> lines);

 private:
  pg::Pool& pool_;
  Turns searches_{2};  // with expressions, by task: others need connections, too
};

}  // namespace det::store
