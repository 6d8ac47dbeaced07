#include "store/logs/log_batch.h"

#include <algorithm>
#include <set>

#include "pg/binary_array.h"
#include "store/sql.h"

namespace det::store {
namespace {

using pg::BinaryArray;
using Element = BinaryArray::Element;

const char* const kTask = "SELECT number FROM tasks WHERE id = $1::text";
// Index task_log_chunks_pkey. Only after a lost connection.
const char* const kWritten =
    "SELECT post FROM task_log_chunks WHERE task_number = ANY($1::int[]) AND post = ANY($2::bigint[])";
// The row lock on the task makes line ids follow the order of commits: who has read up to id n has missed nothing
// before it.
const char* const kInsert =
    "WITH chunk AS (SELECT * FROM unnest($1::int[], $2::bigint[], $3::int[], $4::timestamptz[], $5::timestamptz[], "
    "$6::int[], "
    "$7::bytea[]) WITH ORDINALITY AS c (task, post, n, t0, t1, mask, body, place)), "
    "base AS (UPDATE tasks k SET log_lines = k.log_lines + s.n, log_removed_at = NULL "
    "FROM (SELECT task, sum(n) AS n FROM chunk GROUP BY task) s WHERE k.number = s.task "
    "RETURNING k.number, k.log_lines - s.n AS lines), "
    "inserted AS (INSERT INTO task_log_chunks (task_number, first_id, n, t0, t1, mask, post, body) "
    "SELECT c.task, b.lines + 1 + sum(c.n) OVER (PARTITION BY c.task ORDER BY c.place) - c.n, c.n, c.t0, c.t1, c.mask, "
    "c.post, "
    "c.body FROM chunk c JOIN base b ON b.number = c.task RETURNING task_number, first_id, n, length(body) AS bytes), "
    "told AS MATERIALIZED (SELECT pg_notify('det_log', CASE WHEN length(ids) < 7900 THEN ids ELSE '' END) "
    "FROM (SELECT string_agg(DISTINCT task::text, ' ') AS ids FROM chunk) s) "
    "SELECT i.task_number, i.first_id, i.n, i.bytes FROM inserted i CROSS JOIN told ORDER BY i.task_number, i.first_id";

}  // namespace

Status LogBatch::connect() {
  if (connection_ && !connection_->is_lost()) return {};
  auto opened = pg::RawConnection::open(url_, "det-operator logs");
  if (!opened) return fail(ErrorCode::kUnavailable, opened.error().message);
  connection_.emplace(std::move(*opened));
  tasks_.clear();
  for (const auto& [name, sql] :
       {std::pair{"task", kTask}, std::pair{"written", kWritten}, std::pair{"insert", kInsert}}) {
    if (Status status = connection_->prepare(name, sql); !status) return give_up_connection(std::move(status).error());
  }
  return {};
}

Status LogBatch::give_up_connection(Error error) {
  connection_.reset();
  return fail(ErrorCode::kUnavailable, std::move(error.message));
}

Status LogBatch::commit(const std::vector<const LogPost*>& posts, std::vector<Status>& results) {
  if (Status status = connect(); !status) return status;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < posts.size(); ++i) {
    const auto task = task_number(posts[i]->task_id);
    if (!task && connection_->is_lost()) return give_up_connection(task.error());
    if (task) rows.push_back({.post = posts[i], .task = *task, .place = i});
    if (!task) results[i] = std::unexpected(task.error());
  }
  if (in_doubt_) {
    if (Status status = drop_written(rows); !status) return give_up_connection(std::move(status).error());
  }
  in_doubt_ = true;
  Status written = insert(rows);
  if (!written && !was_lost(written)) {
    // One of them is to blame: each on its own.
    written = Status();
    for (const Row& row : rows) {
      results[row.place] = insert({row});
      if (was_lost(results[row.place])) written = results[row.place];
    }
  }
  if (was_lost(written)) return give_up_connection(std::move(written).error());
  in_doubt_ = false;
  return {};
}

bool LogBatch::was_lost(const Status& status) const {
  return !status && (connection_->is_lost() || status.error().code == ErrorCode::kUnavailable);
}

Result<std::int32_t> LogBatch::task_number(const std::string& task_id) {
  if (const std::int32_t* known = tasks_.find(task_id)) return *known;
  const auto found = connection_->run_prepared("task", {task_id});
  DET_TRY(found);
  if (PQntuples(found->get()) == 0) return not_found("task", task_id);
  return tasks_.put(task_id, std::stoi(pg::field(*found, 0, 0)));
}

Status LogBatch::drop_written(std::vector<Row>& rows) {
  BinaryArray tasks(Element::kInt4);
  BinaryArray posts(Element::kInt8);
  for (const Row& row : rows) {
    tasks.add_int4(row.task);
    posts.add_int8(row.post->post);
  }
  const auto found = connection_->run_prepared("written", {tasks.finish(), posts.finish()});
  DET_TRY(found);
  std::set<std::int64_t> written;
  for (int i = 0; i < PQntuples(found->get()); ++i) written.insert(std::stoll(pg::field(*found, i, 0)));
  std::erase_if(rows, [&](const Row& row) { return written.contains(row.post->post); });
  return {};
}

Status LogBatch::insert(const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  BinaryArray tasks(Element::kInt4);
  BinaryArray posts(Element::kInt8);
  BinaryArray counts(Element::kInt4);
  BinaryArray firsts(Element::kTimestamptz);
  BinaryArray lasts(Element::kTimestamptz);
  BinaryArray masks(Element::kInt4);
  BinaryArray bodies(Element::kBytea);
  for (const Row& row : rows) {
    for (const EncodedChunk& chunk : row.post->chunks) {
      tasks.add_int4(row.task);
      posts.add_int8(row.post->post);
      counts.add_int4(chunk.lines);
      firsts.add_time(chunk.first);
      lasts.add_time(chunk.last);
      masks.add_int4(chunk.levels);
      bodies.add_bytes(chunk.body);
    }
  }
  auto done = connection_->run_prepared("insert", {tasks.finish(), posts.finish(), counts.finish(), firsts.finish(),
                                                   lasts.finish(), masks.finish(), bodies.finish()});
  DET_TRY(done);
  tell_compactor(rows, *done);
  return {};
}

// What was inserted comes back by task and then in the order of the batch; nothing of a task that was deleted
// meanwhile.
void LogBatch::tell_compactor(std::vector<Row> rows, const pg::ResultHandle& inserted) {
  std::ranges::sort(rows, {}, [](const Row& row) { return std::pair(row.task, row.place); });
  const auto now = std::chrono::steady_clock::now();
  int at = 0;
  const auto number = [&](int column) { return std::stoll(pg::field(inserted, at, column)); };
  for (const Row& row : rows) {
    for (const EncodedChunk& chunk : row.post->chunks) {
      if (at == pg::row_count(inserted) || number(0) != row.task) break;
      compactor_.wrote(row.task, {.first_id = number(1), .lines = number(2), .bytes = number(3), .held = chunk.held},
                       now);
      ++at;
    }
  }
}

}  // namespace det::store
