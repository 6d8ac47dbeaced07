#include "store/logs/log_writer.h"

#include <algorithm>
#include <random>

#include "store/group_commit.h"
#include "store/logs/log_batch.h"
#include "store/logs/log_compactor.h"

namespace det::store {
namespace {

// Whatever its number: lines carry their times, so that two posts with the same ones are one that is sent again.
bool is_same(const LogPost& one, const LogPost& other) {
  return one.task_id == other.task_id && one.lines == other.lines && one.body == other.body;
}

}  // namespace

struct LogWriter::State {
  State(const asio::any_io_executor& executor, const LogWriterOptions& options)
      : committed(executor),
        compactor(options.url),
        batch(options.url, compactor),
        group(
            executor,
            {.name = "log lines",
             .max_waiting = options.max_waiting_bytes,
             .max_batch = options.max_batch,
             .is_same = is_same},
            [this](const auto& posts, auto& results) { return batch.commit(posts, results); },
            [this] { committed.notify_all(); }) {
    compactor.start(options.compact_every);
  }
  Signal committed;
  std::mt19937_64 random{std::random_device()()};
  LogCompactor compactor;
  LogBatch batch;  // belongs to the group's thread
  GroupCommit<LogPost> group;
};

LogWriter::LogWriter(asio::any_io_executor executor, LogWriterOptions options)
    : state_(std::make_unique<State>(std::move(executor), options)) {}

LogWriter::~LogWriter() = default;

Task<Status> LogWriter::write(std::string task_id, std::vector<LogLine> lines, std::chrono::nanoseconds timeout) {
  if (lines.empty()) co_return Status();
  const auto [first, last] = std::ranges::minmax(lines, {}, &LogLine::time);
  LogPost post{.task_id = std::move(task_id),
               .post = static_cast<std::int64_t>(state_->random()),
               .lines = static_cast<std::int32_t>(lines.size()),
               .first = first.time,
               .last = last.time,
               .levels = level_mask(lines),
               .body = encode_chunk(lines)};
  const std::size_t cost = post.body.size();
  co_return co_await state_->group.submit(std::move(post), cost, timeout);
}

Signal& LogWriter::committed() {
  return state_->committed;
}

}  // namespace det::store
