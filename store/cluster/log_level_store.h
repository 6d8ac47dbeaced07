#pragma once

// Tells every replica of another level of its own log. Nothing is kept: a process that starts has the level of its
// options, as in Determined. Belongs to the io thread; Pool outlives it.

#include "base/log.h"
#include "pg/pool.h"

namespace det::store {

class LogLevelStore {
 public:
  explicit LogLevelStore(pg::Pool& pool) : pool_(pool) {}

  // By kLogLevelChannel; the caller is told as well.
  Task<Status> announce(LogLevel level);

 private:
  pg::Pool& pool_;
};

// The payload of the channel; nothing for another one.
[[nodiscard]] std::optional<LogLevel> level_of_payload(std::string_view payload);

}  // namespace det::store
