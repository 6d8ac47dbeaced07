#include "store/logs/log_writer.h"

#include <random>

#include "base/guarded_work.h"
#include "store/group_commit.h"
#include "store/logs/log_batch.h"
#include "store/logs/log_compactor.h"

namespace det::store {
namespace {

// Whatever its number: lines carry their times, so that two posts with the same ones are one that is sent again.
bool is_same(const LogPost& one, const LogPost& other) {
  return one.task_id == other.task_id && one.chunks == other.chunks;
}

constexpr std::size_t kPackedAtOnce = std::size_t{512} << 10;  // more would hold up everybody else

bool is_small(const std::vector<LogLine>& lines) {
  std::size_t held = 0;
  for (const LogLine& line : lines) {
    held += held_bytes(line);
    if (held > kPackedAtOnce) return false;
  }
  return true;
}

// One more, for as long as it lives.
class Counted {
 public:
  explicit Counted(std::size_t& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::size_t& count_;
};

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
  std::size_t packing = 0;  // posts that `packer` works on
  asio::thread_pool packer{1};
  LogCompactor compactor;
  LogBatch batch;  // belongs to the group's thread
  GroupCommit<LogPost> group;
};

LogWriter::LogWriter(asio::any_io_executor executor, LogWriterOptions options)
    : state_(std::make_unique<State>(std::move(executor), options)) {}

LogWriter::~LogWriter() = default;

// Posts overtake none that is still being packed, so that the lines of a task keep their order.
Task<std::vector<EncodedChunk>> LogWriter::pack(const std::vector<LogLine>& lines) {
  if (state_->packing == 0 && is_small(lines)) co_return encode_chunks(lines);
  const Counted counted(state_->packing);
  auto work = [&lines] { return encode_chunks(lines); };
  co_return co_await run_guarded(state_->packer, std::move(work));
}

Task<Status> LogWriter::write(std::string task_id, std::vector<LogLine> lines, std::chrono::nanoseconds timeout) {
  if (lines.empty()) co_return Status();
  auto chunks = co_await pack(lines);
  std::vector<LogLine>().swap(lines);
  std::size_t cost = 0;
  for (const EncodedChunk& chunk : chunks) cost += chunk.body.size();
  LogPost post{
      .task_id = std::move(task_id), .post = static_cast<std::int64_t>(state_->random()), .chunks = std::move(chunks)};
  co_return co_await state_->group.submit(std::move(post), cost, timeout);
}

Signal& LogWriter::committed() {
  return state_->committed;
}

}  // namespace det::store
