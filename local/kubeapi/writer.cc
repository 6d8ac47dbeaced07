#include "local/kubeapi/writer.h"

#include <algorithm>
#include <utility>

#include <boost/asio/redirect_error.hpp>

namespace det::local::kubeapi {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr std::size_t kMaxBatch = 500;
constexpr std::size_t kMaxQueued = 20'000;
constexpr std::chrono::nanoseconds kFirstPause = std::chrono::milliseconds(50);
constexpr std::chrono::nanoseconds kLongestPause = std::chrono::seconds(1);

}  // namespace

struct ObjectWriter::Entry {
  Entry(Mutation m, asio::steady_timer t) : mutation(std::move(m)), timer(std::move(t)) {}
  Mutation mutation;
  asio::steady_timer timer;
  std::optional<Outcome> outcome;
};

ObjectWriter::ObjectWriter(asio::any_io_executor executor, Clock& clock, ObjectStore& store, std::string database_url)
    : executor_(executor), clock_(clock), store_(store), table_(std::move(database_url)), queued_(executor) {}

ObjectWriter::~ObjectWriter() {
  thread_.join();
}

Task<Status> ObjectWriter::open() {
  auto work = [this] { return table_.open(); };
  auto state = co_await run_on(thread_, std::move(work));
  if (!state) co_return std::unexpected(with_context(std::move(state).error(), "open the embedded Kubernetes API"));
  store_.load(state->objects, state->version);
  co_return Status();
}

Task<Outcome> ObjectWriter::submit(Mutation mutation) {
  if (queue_.size() >= kMaxQueued) co_return std::unexpected(unavailable("too many writes wait for the database"));
  auto entry = std::make_shared<Entry>(std::move(mutation), asio::steady_timer(executor_, kPatience));
  queue_.push_back(entry);
  queued_.notify_all();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!entry->outcome && std::chrono::steady_clock::now() < deadline) {
    boost::system::error_code ignored;
    co_await entry->timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  if (entry->outcome) co_return std::move(*entry->outcome);
  co_return std::unexpected(unavailable("the database did not confirm the change in time"));
}

Task<void> ObjectWriter::run() {
  for (;;) {
    const auto seen = queued_.version();
    if (queue_.empty()) {
      co_await queued_.wait(seen, std::chrono::hours(24));
      continue;
    }
    std::deque<std::shared_ptr<Entry>> batch;
    while (!queue_.empty() && batch.size() < kMaxBatch) {
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    co_await commit(std::move(batch));
  }
}

// One that throws is a fault of ours, and no reason to leave the others of its batch, and everybody, without an answer.
// It checks before it changes: only what it had begun cannot be taken back.
Outcome ObjectWriter::perform(const Mutation& mutation, Staging& staging) {
  const std::size_t before = staging.changes().size();
  try {
    return mutation(staging);
  } catch (const std::exception& thrown) {
    if (staging.changes().size() != before) throw;
    log_.error("a write failed that should have been refused", {{"error", thrown.what()}});
    return std::unexpected(internal_error(thrown.what()));
  }
}

Task<void> ObjectWriter::commit(std::deque<std::shared_ptr<Entry>> batch) {
  const std::uint64_t from = store_.version();
  Staging staging(store_, clock_.wall_now());
  std::vector<Outcome> outcomes;
  outcomes.reserve(batch.size());
  for (const auto& entry : batch) outcomes.push_back(perform(entry->mutation, staging));
  Status written;
  if (!staging.changes().empty()) written = co_await write(staging, from);
  if (written) {
    if (!staging.changes().empty()) store_.publish(staging.changes(), staging.version());
    ++stats_.commits;
  } else {
    log_.error("a batch was not written", {{"error", written.error().message}});
  }
  stats_.mutations += batch.size();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const bool is_lost = !written && outcomes[i];
    batch[i]->outcome.emplace(is_lost ? std::unexpected(internal_error(written.error().message))
                                      : std::move(outcomes[i]));
    batch[i]->timer.cancel();
  }
}

// PostgreSQL may be away for a while: the batch waits for it, and everybody behind it.
Task<Status> ObjectWriter::write(const Staging& staging, std::uint64_t from) {
  auto pause = kFirstPause;
  for (;;) {
    auto work = [&] { return table_.commit(staging.changes(), from, staging.version()); };
    Status written = co_await run_on(thread_, std::move(work));
    if (written || written.error().code != ErrorCode::kUnavailable) co_return written;
    log_.warn("commit failed and is tried again", {{"error", written.error().message}});
    co_await clock_.sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace det::local::kubeapi
