#include "store/log_store.h"

#include <algorithm>
#include <limits>

#include "store/log_filter.h"
#include "store/sql.h"

namespace det::store {
namespace {

// A batch is held in memory while the sink takes it.
constexpr int kChunksPerBatch = 8;

const char* const kCount = "SELECT log_lines FROM tasks WHERE id = $1";
// Index task_log_chunks_pkey, both ways. $2: last id of the chunk is larger (ascending); first id is smaller
// (descending).
const char* const kForward =
    "SELECT c.first_id, c.n, c.mask, c.t0, c.t1, CASE WHEN c.mask & $4 <> 0 AND ($5::timestamptz IS NULL OR c.t1 > $5) "
    "AND ($6::timestamptz IS NULL OR c.t0 <= $6) THEN c.body END "
    "FROM task_log_chunks c JOIN tasks k ON k.number = c.task_number WHERE k.id = $1 "
    "AND c.first_id >= coalesce((SELECT max(p.first_id) FROM task_log_chunks p WHERE p.task_number = k.number "
    "AND p.first_id <= $2), 0) AND c.first_id + c.n > $2 ORDER BY c.first_id LIMIT $3";
const char* const kBackward =
    "SELECT c.first_id, c.n, c.mask, c.t0, c.t1, CASE WHEN c.mask & $4 <> 0 AND ($5::timestamptz IS NULL OR c.t1 > $5) "
    "AND ($6::timestamptz IS NULL OR c.t0 <= $6) THEN c.body END "
    "FROM task_log_chunks c JOIN tasks k ON k.number = c.task_number WHERE k.id = $1 "
    "AND c.first_id < $2 ORDER BY c.first_id DESC LIMIT $3";

struct Batch {
  std::vector<NumberedLine> lines;  // in the query's order, filtered
  std::int64_t next = 0;            // where the next batch starts
  bool is_last = false;
};

std::optional<std::string> time_parameter(const std::optional<WallTime>& time) {
  if (!time) return std::nullopt;
  return format_rfc3339_micros(*time);
}

// Adds the wanted lines of one chunk row.
Status add_chunk(const pqxx::row& row, const LogQuery& query, const LogFilter& filter, std::vector<NumberedLine>& out) {
  if (row[5].is_null()) return {};  // nothing in it can match
  auto lines = decode_chunk(pqxx::binarystring(row[5]).str());
  if (!lines) return std::unexpected(lines.error());
  const std::int64_t first = row[0].as<std::int64_t>();
  const std::size_t before = out.size();
  for (std::size_t i = 0; i < lines->size(); ++i) {
    const std::int64_t id = first + static_cast<std::int64_t>(i);
    if (query.order == Order::kAscending && id <= query.after_id) continue;
    if (filter.wants((*lines)[i])) out.push_back({.id = id, .line = std::move((*lines)[i])});
  }
  if (query.order == Order::kDescending) std::reverse(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
  return {};
}

// `from`: ascending, the first id wanted; descending, the id below which to look.
Result<Batch> read_batch(pg::Transaction& tx, const LogQuery& query, const LogFilter& filter, std::int64_t from) {
  const bool forward = query.order == Order::kAscending;
  const pqxx::result rows =
      tx.exec_params(forward ? kForward : kBackward, query.task_id, from, kChunksPerBatch, filter.level_bits(),
                     time_parameter(query.after), time_parameter(query.before));
  Batch batch;
  batch.next = from;
  batch.is_last = static_cast<int>(rows.size()) < kChunksPerBatch;
  for (const auto& row : rows) {
    if (Status status = add_chunk(row, query, filter, batch.lines); !status) {
      return std::unexpected(std::move(status).error());
    }
    const std::int64_t first = row[0].as<std::int64_t>();
    batch.next = forward ? first + row[1].as<std::int64_t>() : first;
  }
  return batch;
}

}  // namespace

Task<Result<std::int64_t>> LogStore::scan(LogQuery query, LineSink sink) {
  const auto filter = LogFilter::make(query);
  if (!filter) co_return std::unexpected(filter.error());
  const bool forward = query.order == Order::kAscending;
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  std::int64_t from = forward ? query.after_id + 1 : kEnd;
  std::int64_t left = query.limit > 0 ? query.limit : kEnd;
  std::int64_t last = query.after_id;
  for (bool more = true; more && left > 0;) {
    auto body = [query, filter, from](pg::Transaction& tx) { return read_batch(tx, query, *filter, from); };
    auto batch = co_await pool_.read("read logs", std::move(body));
    if (!batch) co_return std::unexpected(batch.error());
    more = !batch->is_last;
    from = batch->next;
    last = std::max(last, forward ? from - 1 : (batch->lines.empty() ? last : batch->lines.front().id));
    if (static_cast<std::int64_t>(batch->lines.size()) > left) {
      batch->lines.resize(static_cast<std::size_t>(left));
      if (forward) last = batch->lines.back().id;
    }
    left -= static_cast<std::int64_t>(batch->lines.size());
    if (batch->lines.empty()) continue;
    const bool go_on = co_await sink(std::move(batch->lines));
    if (!go_on) break;
  }
  co_return last;
}

Task<Result<std::int64_t>> LogStore::count(std::string task_id) {
  auto body = [task_id](pg::Transaction& tx) -> Result<std::int64_t> {
    const pqxx::result found = tx.exec_params(kCount, task_id);
    return found.empty() ? 0 : found[0][0].as<std::int64_t>();
  };
  co_return co_await pool_.read("count log lines", std::move(body));
}

}  // namespace det::store
