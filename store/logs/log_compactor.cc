#include "store/logs/log_compactor.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "pg/binary_array.h"
#include "pg/binary_value.h"
#include "store/logs/log_chunk.h"

namespace det::store {
namespace {

// A full chunk: more lines, or more compressed bytes, gain nothing. A chunk that holds more is too much for who reads
// it, however small it is.
constexpr std::int64_t kFullLines = 1000;
constexpr std::int64_t kFullBytes = 64 << 10;
constexpr std::int64_t kFullHeld = kChunkHolds;
constexpr std::size_t kFewChunks = 16;
constexpr std::size_t kManyChunks = 128;
constexpr std::chrono::seconds kQuiet{30};
// Another replica may not have heard that its commit is done: longer than a post of log lines waits for it.
constexpr std::chrono::seconds kForeignRests{60};
constexpr std::size_t kMaxTasks = 100'000;

// Index task_log_chunks_pkey. Locked, because the task may be deleted meanwhile.
const char* const kRead =
    "SELECT body FROM task_log_chunks WHERE task_number = $1::int AND first_id >= $2::bigint AND first_id < $3::bigint "
    "ORDER BY first_id FOR UPDATE";
const char* const kReplace =
    "WITH gone AS (DELETE FROM task_log_chunks WHERE task_number = $1::int AND first_id > $2::bigint AND first_id < "
    "$3::bigint) "
    "UPDATE task_log_chunks SET n = $3::bigint - $2::bigint, t0 = ($4::timestamptz[])[1], t1 = ($4::timestamptz[])[2], "
    "mask = $5::int, body = $6::bytea WHERE task_number = $1::int AND first_id = $2::bigint";

std::int64_t end_of(const WrittenChunk& chunk) {
  return chunk.first_id + chunk.lines;
}

bool is_full(const WrittenChunk& chunk) {
  return chunk.lines >= kFullLines || chunk.bytes >= kFullBytes || chunk.held >= kFullHeld;
}

// How many at the front may be merged at all.
std::size_t mature(const std::vector<WrittenChunk>& run, LogCompactor::Now now) {
  const auto rests = [now](const WrittenChunk& chunk) { return chunk.from && *chunk.from > now; };
  return static_cast<std::size_t>(std::ranges::find_if(run, rests) - run.begin());
}

WrittenChunk foreign_between(const WrittenChunk& before, const WrittenChunk& after, LogCompactor::Now now) {
  WrittenChunk foreign{.first_id = end_of(before), .from = now + kForeignRests};
  foreign.lines = after.first_id - foreign.first_id;
  // As long as the lines around them.
  foreign.bytes = foreign.lines * after.bytes / after.lines;
  foreign.held = foreign.lines * after.held / after.lines;
  return foreign;
}

Result<std::vector<LogLine>> decode_rows(const pg::ResultHandle& rows) {
  std::vector<LogLine> lines;
  for (int row = 0; row < pg::row_count(rows); ++row) {
    std::size_t size = 0;
    const std::unique_ptr<unsigned char, decltype(&PQfreemem)> bytes(
        PQunescapeBytea(reinterpret_cast<const unsigned char*>(PQgetvalue(rows.get(), row, 0)), &size), &PQfreemem);
    auto chunk = decode_chunk({reinterpret_cast<const char*>(bytes.get()), size});
    if (!chunk) return chunk;
    std::ranges::move(*chunk, std::back_inserter(lines));
  }
  return lines;
}

}  // namespace

std::size_t chunks_to_merge(const std::vector<WrittenChunk>& run, bool is_quiet, LogCompactor::Now now) {
  const std::size_t count = mature(run, now);
  WrittenChunk sum;
  for (std::size_t i = 0; i < count; ++i) {
    sum.lines += run[i].lines;
    sum.bytes += run[i].bytes;
    sum.held += run[i].held;
    if (is_full(sum)) return i + 1;
  }
  if (is_quiet || count >= kManyChunks) return count;
  const bool pays = count >= kFewChunks && sum.lines - run.front().lines >= run.front().lines;
  return pays ? count : 0;
}

LogCompactor::~LogCompactor() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void LogCompactor::start(std::chrono::milliseconds pause) {
  thread_ = std::thread([this, pause] { run(pause); });
}

void LogCompactor::run(std::chrono::milliseconds pause) {
  for (;;) {
    const auto deadline = std::chrono::steady_clock::now() + pause;
    {
      const MutexLock lock(mutex_);
      while (!stopping_ && wake_.wait_until(mutex_, deadline)) {
      }
      if (stopping_) return;
    }
    pass(std::chrono::steady_clock::now());
  }
}

void LogCompactor::wrote(std::int32_t task, WrittenChunk chunk, Now now) {
  const MutexLock lock(mutex_);
  if (runs_.size() >= kMaxTasks && !runs_.contains(task)) return;
  Run& run = runs_[task];
  if (!run.chunks.empty() && end_of(run.chunks.back()) != chunk.first_id) {
    const WrittenChunk foreign = foreign_between(run.chunks.back(), chunk, now);
    if (foreign.lines > 0 && !is_full(foreign)) {
      run.chunks.push_back(foreign);
    } else {
      run.chunks.clear();
    }
  }
  run.chunks.push_back(chunk);
  run.last_write = now;
}

// The next chunks to merge, of `from` or a later task. Chunks that are full by themselves, and tasks that log no more,
// are forgotten on the way.
std::optional<std::pair<std::int32_t, std::vector<WrittenChunk>>> LogCompactor::next_group(std::int32_t from, Now now) {
  const MutexLock lock(mutex_);
  for (auto at = runs_.lower_bound(from); !stopping_ && at != runs_.end();) {
    Run& run = at->second;
    const bool is_quiet = now - run.last_write >= kQuiet;
    std::size_t count = chunks_to_merge(run.chunks, is_quiet, now);
    while (count == 1 && is_full(run.chunks.front())) {
      run.chunks.erase(run.chunks.begin());
      count = chunks_to_merge(run.chunks, is_quiet, now);
    }
    if (count > 1) {
      return std::pair(at->first, std::vector(run.chunks.begin(), run.chunks.begin() + static_cast<int>(count)));
    }
    at = is_quiet && mature(run.chunks, now) == run.chunks.size() ? runs_.erase(at) : std::next(at);
  }
  return std::nullopt;
}

void LogCompactor::finished(std::int32_t task, std::size_t count, std::optional<WrittenChunk> merged) {
  const MutexLock lock(mutex_);
  const auto at = runs_.find(task);
  if (at == runs_.end() || at->second.chunks.size() < count) return;  // the run broke meanwhile
  auto& chunks = at->second.chunks;
  chunks.erase(chunks.begin(), chunks.begin() + static_cast<int>(count));
  if (merged && (chunks.empty() || end_of(*merged) == chunks.front().first_id)) {
    chunks.insert(chunks.begin(), *merged);
  }
}

void LogCompactor::pass(Now now) {
  std::int32_t from = 0;
  while (auto group = next_group(from, now)) {
    const auto& [task, chunks] = *group;
    from = task;
    const auto merged = merge(task, chunks);
    if (!merged && (!connection_ || connection_->is_lost())) {
      connection_.reset();
      return;
    }
    if (!merged) log_.warn("log chunks were not merged", {{"task", task}, {"error", merged.error().message}});
    finished(task, chunks.size(), merged ? *merged : std::nullopt);
  }
}

Status LogCompactor::connect() {
  if (connection_) return {};
  auto opened = pg::RawConnection::open(url_, "det-operator log compactor");
  DET_TRY(opened);
  connection_.emplace(std::move(*opened));
  // A merge that a crash forgets is merely done never: nothing waits for its commit.
  for (Status status : {connection_->execute("SET synchronous_commit = off"), connection_->prepare("read", kRead),
                        connection_->prepare("replace", kReplace)}) {
    if (!status) return status;
  }
  return {};
}

// Nothing when the chunks are no longer there.
Result<std::optional<WrittenChunk>> LogCompactor::merge(std::int32_t task, const std::vector<WrittenChunk>& group) {
  if (Status status = connect(); !status) {
    connection_.reset();
    return std::unexpected(std::move(status).error());
  }
  DET_TRY(connection_->execute("BEGIN"));
  auto merged = rewrite(task, group);
  const bool changed = merged && *merged;
  if (Status ended = connection_->execute(changed ? "COMMIT" : "ROLLBACK"); !ended && changed) {
    return std::unexpected(std::move(ended).error());
  }
  return merged;
}

Result<std::optional<WrittenChunk>> LogCompactor::rewrite(std::int32_t task, const std::vector<WrittenChunk>& group) {
  const std::int64_t first = group.front().first_id;
  const std::int64_t end = end_of(group.back());
  const std::vector<std::string> place{pg::int4_value(task), pg::int8_value(first), pg::int8_value(end)};
  const auto rows = connection_->run_prepared("read", place);
  DET_TRY(rows);
  const auto lines = decode_rows(*rows);
  DET_TRY(lines);
  if (lines->empty() || static_cast<std::int64_t>(lines->size()) != end - first) return std::nullopt;
  std::int64_t held = 0;
  for (const LogLine& line : *lines) held += static_cast<std::int64_t>(held_bytes(line));
  // Of what others wrote the size was a guess; and they may have merged it themselves.
  if (held > 2 * kFullHeld || pg::row_count(*rows) == 1) return std::nullopt;
  const auto [earliest, latest] = std::ranges::minmax(*lines, {}, &LogLine::time);
  pg::BinaryArray times(pg::BinaryArray::Element::kTimestamptz);
  times.add_time(earliest.time);
  times.add_time(latest.time);
  std::vector<std::string> parameters = place;
  parameters.push_back(times.finish());
  parameters.push_back(pg::int4_value(level_mask(*lines)));
  parameters.push_back(encode_chunk(*lines));
  const auto bytes = static_cast<std::int64_t>(parameters.back().size());
  DET_TRY(connection_->run_prepared("replace", parameters));
  return WrittenChunk{.first_id = first, .lines = end - first, .bytes = bytes, .held = held};
}

}  // namespace det::store
