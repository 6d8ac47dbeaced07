#pragma once

// Whether log lines that are posted again are there already: a server that was killed between commit and answer leaves
// its client no way to know.

#include <span>
#include <string>

#include "base/result.h"
#include "pg/pool.h"
#include "store/logs/log_chunk.h"

namespace det::store {

// As LogStore::has.
[[nodiscard]] Result<bool> has_lines(pg::Transaction& tx, const std::string& task_id, std::span<const LogLine> lines);

}  // namespace det::store
