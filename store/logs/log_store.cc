#include "store/logs/log_store.h"

#include <algorithm>
#include <limits>

#include "store/logs/log_filter.h"
#include "store/logs/log_repeat.h"
#include "store/sql.h"

namespace det::store {
namespace {

// A batch is held in memory while the sink takes it: no chunk is added to one that holds so much. Who wants few lines
// mostly finds them in the first chunks.
constexpr std::size_t kBatchHolds = std::size_t{4} << 20;
// Of chunks there are up to so many in a batch, whatever their size; and small ones, of which a log has many where
// several replicas take it in turns, up to so many and so many bytes.
constexpr int kLargeChunks = 8;
constexpr int kMaxChunks = 256;
constexpr std::int64_t kSmallBytes = std::int64_t{256} << 10;
// With an expression, for one batch: it has a connection meanwhile.
constexpr std::chrono::seconds kPatience{2};
constexpr int kFirstChunks = 1;  // of a query with a limit

const char* const kCount = "SELECT log_lines FROM tasks WHERE id = $1";
// $3: so many chunks are looked at. Of those the first $7, and what together has $8 bytes, which is known without
// reading them; the last column: how many were looked at.
std::string chunk_query(const std::string& where, const std::string& order) {
  return "SELECT c.first_id, c.n, c.mask, c.t0, c.t1, CASE WHEN c.mask & $4 <> 0 AND ($5::timestamptz IS NULL OR "
         "c.t1 > $5) AND ($6::timestamptz IS NULL OR c.t0 <= $6) THEN c.body END, c.candidates FROM "
         "(SELECT c.*, row_number() OVER up_to AS place, sum(octet_length(c.body)) OVER up_to AS bytes, "
         "count(*) OVER () AS candidates FROM (SELECT c.first_id, c.n, c.mask, c.t0, c.t1, c.body FROM "
         "task_log_chunks c JOIN tasks k ON k.number = c.task_number WHERE k.id = $1 AND " +
         where + " ORDER BY c.first_id " + order + " LIMIT $3) c WINDOW up_to AS (ORDER BY c.first_id " + order +
         " ROWS UNBOUNDED PRECEDING)) c WHERE c.place <= $7 OR c.bytes <= $8 ORDER BY c.first_id " + order;
}
// Index task_log_chunks_pkey, both ways. $2: last id of the chunk is larger (ascending); first id is smaller
// (descending).
const std::string kForward = chunk_query(
    "c.first_id >= coalesce((SELECT max(p.first_id) FROM task_log_chunks p WHERE p.task_number = k.number AND "
    "p.first_id <= $2), 0) AND c.first_id + c.n > $2",
    "ASC");
const std::string kBackward = chunk_query("c.first_id < $2", "DESC");

struct Batch {
  std::vector<NumberedLine> lines;  // in the query's order, filtered
  std::size_t held = 0;             // sum of their held_bytes
  std::int64_t next = 0;            // where the next batch starts
  SteadyTime deadline;              // of its expression
  bool is_last = false;
};

std::optional<std::string> time_parameter(const std::optional<WallTime>& time) {
  if (!time) return std::nullopt;
  return format_rfc3339_micros(*time);
}

// Adds the wanted lines of one chunk row. Chunks are merged while others read: one may reach over `from`.
Status add_chunk(const pqxx::row& row, Order order, const LogFilter& filter, std::int64_t from, Batch& batch) {
  if (row[5].is_null()) return {};  // nothing in it can match
  const pqxx::binarystring body(row[5]);
  const std::int64_t first = row[0].as<std::int64_t>();
  std::vector<NumberedLine>& out = batch.lines;
  const std::size_t before = out.size();
  const bool forward = order == Order::kAscending;
  bool is_late = false;
  const auto add = [&](std::size_t place, const LineView& line) {
    const std::int64_t id = first + static_cast<std::int64_t>(place);
    if (is_late || !(forward ? id >= from : id < from)) return;
    is_late = filter.has_pattern() && (!filter.affords(line) || std::chrono::steady_clock::now() > batch.deadline);
    if (is_late || !filter.wants(line)) return;
    out.push_back({.id = id, .line = to_line(line)});
    batch.held += held_bytes(out.back().line);
  };
  if (Status visited = visit_chunk({body.get(), body.size()}, add); !visited) return visited;
  if (is_late) {
    return fail(ErrorCode::kInvalidArgument,
                "searchText: it takes too long to look for this expression: a simpler one, or plain text, would do",
                "searchText");
  }
  if (!forward) std::reverse(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
  return {};
}

// `from`: ascending, the first id wanted; descending, the id below which to look.
Result<Batch> read_batch(pg::Transaction& tx, const LogQuery& query, const LogFilter& filter, std::int64_t from,
                         int chunks) {
  const bool forward = query.order == Order::kAscending;
  const pqxx::result rows =
      run_sql(tx, forward ? kForward : kBackward, query.task_id, from, chunks, filter.level_bits(),
              time_parameter(query.after), time_parameter(query.before), kLargeChunks, kSmallBytes);
  Batch batch;
  batch.next = from;
  batch.deadline = std::chrono::steady_clock::now() + kPatience;
  const int candidates = rows.empty() ? 0 : rows[0][6].as<int>();
  batch.is_last = candidates < chunks && std::ssize(rows) == candidates;
  for (const auto& row : rows) {
    if (batch.held >= kBatchHolds) {
      batch.is_last = false;
      break;
    }
    if (Status status = add_chunk(row, query.order, filter, from, batch); !status) {
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
  DET_CO_TRY(filter);
  const bool forward = query.order == Order::kAscending;
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  std::int64_t from = std::min(query.after_id, kEnd - 1) + 1;
  if (!forward) from = query.before_id > 0 ? query.before_id : kEnd;
  std::int64_t left = query.limit > 0 ? query.limit : kEnd;
  std::int64_t last = query.after_id;
  int chunks = query.limit > 0 ? kFirstChunks : kMaxChunks;
  for (bool more = true; more && left > 0; chunks = std::min(chunks * 2, kMaxChunks)) {
    auto body = [query, filter, from, chunks](pg::Transaction& tx) {
      return read_batch(tx, query, *filter, from, chunks);
    };
    std::optional<Turns::Turn> turn;
    if (filter->has_pattern()) {
      auto mine = co_await searches_.wait(query.task_id);
      turn.emplace(std::move(mine));
    }
    auto batch = co_await pool_.read("read logs", std::move(body));
    turn.reset();
    DET_CO_TRY(batch);
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
    const pqxx::result found = run_sql(tx, kCount, task_id);
    return found.empty() ? 0 : found[0][0].as<std::int64_t>();
  };
  co_return co_await pool_.read("count log lines", std::move(body));
}

Task<Result<bool>> LogStore::has(std::string task_id, std::shared_ptr<const std::vector<LogLine>> lines) {
  auto body = [task_id, lines](pg::Transaction& tx) { return has_lines(tx, task_id, *lines); };
  co_return co_await pool_.read("look for repeated log lines", std::move(body));
}

}  // namespace det::store
