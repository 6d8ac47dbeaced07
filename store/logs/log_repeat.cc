#include "store/logs/log_repeat.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "store/sql.h"

namespace det::store {
namespace {

// A shipper has one post in doubt at a time, and behind it there is what the other pods of a gang logged meanwhile.
constexpr int kLastChunks = 2'000;
constexpr std::int64_t kMostBytes = std::int64_t{8} << 20;  // of chunks that are unpacked

// Index task_log_chunks_pkey, backward. The sizes are known without reading the bodies.
const char* const kRecent =
    "SELECT body FROM (SELECT c.body, sum(octet_length(c.body)) OVER (ORDER BY c.first_id DESC) AS bytes FROM (SELECT "
    "c.first_id, c.t0, c.t1, c.body FROM task_log_chunks c JOIN tasks k ON k.number = c.task_number WHERE k.id = $1 "
    "ORDER BY c.first_id DESC LIMIT $2) c WHERE c.t1 >= $3::timestamptz AND c.t0 <= $4::timestamptz) c "
    "WHERE c.bytes <= $5";

using Key = std::pair<WallTime, std::string_view>;

}  // namespace

Result<bool> has_lines(pg::Transaction& tx, const std::string& task_id, std::span<const LogLine> lines) {
  std::multimap<Key, const LogLine*> missing;
  for (const LogLine& line : lines) missing.emplace(Key(line.time, line.text), &line);
  const auto [first, last] = std::ranges::minmax(lines, {}, &LogLine::time);
  const auto remove_found = [&missing](std::size_t, const LineView& view) {
    const auto [from, to] = missing.equal_range(Key(view.time, view.text));
    const auto is_it = [&view](const auto& entry) { return *entry.second == to_line(view); };
    if (const auto found = std::find_if(from, to, is_it); found != to) missing.erase(found);
  };
  for (const auto& row : run_sql(tx, kRecent, task_id, kLastChunks, format_rfc3339_micros(first.time),
                                 format_rfc3339_micros(last.time), kMostBytes)) {
    const pqxx::binarystring body(row[0]);
    DET_TRY(visit_chunk({body.get(), body.size()}, remove_found));
    if (missing.empty()) return true;
  }
  return missing.empty();
}

}  // namespace det::store
