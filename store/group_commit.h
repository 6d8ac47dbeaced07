#pragma once

// Many coroutines hand in items, one thread commits all that wait at once, and each caller gets the result of its own
// item. The commit in progress is the window in which the next batch gathers. A batch that found no database is tried
// again, the same one, until it is committed. An item whose caller has waited too long is not written, unless it is in
// a batch that is being tried already: then the caller who hands it in again gets that batch's result. What
// MetricWriter and LogWriter have in common; for .cc files of store/.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/redirect_error.hpp>

#include "base/async.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"

namespace det::store {

template <typename Item>
class GroupCommit {
 public:
  // Blocking, on the writer's thread: writes the items and sets how each went. kUnavailable: nothing is known to be
  // written, try the same batch again.
  using Commit = std::function<Status(const std::vector<const Item*>&, std::vector<Status>&)>;

  struct Options {
    std::string name;
    std::size_t max_waiting = 0;  // sum of the costs that may wait
    std::size_t max_batch = 0;    // items
    // Whether an item is another one that is handed in again. Without it, none is taken for that.
    std::function<bool(const Item&, const Item&)> is_same = nullptr;
  };
  struct Stats {
    std::uint64_t items = 0;
    std::uint64_t commits = 0;
    std::uint64_t retries = 0;
    std::size_t waiting = 0;
  };

  // `committed` runs on the executor after every commit.
  GroupCommit(asio::any_io_executor executor, Options options, Commit commit, std::function<void()> committed)
      : executor_(std::move(executor)),
        options_(std::move(options)),
        commit_(std::move(commit)),
        committed_(std::make_shared<std::function<void()>>(std::move(committed))),
        thread_([this] { run(); }) {}

  // Items that wait are given up: their coroutines see kCanceled.
  ~GroupCommit() {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
    *committed_ = [] {};
    for (const auto& entry : waiting_) finish(*entry, fail(ErrorCode::kCanceled, "the server is shutting down"));
  }
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;

  // Waits for the commit that holds the item. kDeadlineExceeded: try again.
  Task<Status> submit(Item item, std::size_t cost, std::chrono::nanoseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    auto entry = take_given_up(item);
    if (entry) {
      entry->timer.expires_at(deadline);
    } else {
      entry = std::make_shared<Entry>(std::move(item), cost, asio::steady_timer(executor_, deadline));
      if (!enqueue(entry)) {
        co_return fail(ErrorCode::kResourceExhausted, "too many " + options_.name + " wait for the database");
      }
    }
    while (!entry->result && std::chrono::steady_clock::now() < deadline) {
      boost::system::error_code ignored;
      co_await entry->timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    if (entry->result) co_return *entry->result;
    give_up(std::move(entry));
    co_return fail(ErrorCode::kDeadlineExceeded, "the database did not confirm the " + options_.name + " in time");
  }

  [[nodiscard]] Stats stats() const {
    const MutexLock lock(mutex_);
    Stats stats = stats_;
    stats.waiting = waiting_.size();
    return stats;
  }

 private:
  struct Entry {
    Entry(Item i, std::size_t c, asio::steady_timer t) : item(std::move(i)), cost(c), timer(std::move(t)) {}
    const Item item;
    const std::size_t cost;
    // Both belong to the executor.
    asio::steady_timer timer;
    std::optional<Status> result;
  };
  using Entries = std::vector<std::shared_ptr<Entry>>;
  struct GivenUp {
    std::shared_ptr<Entry> entry;
    std::chrono::steady_clock::time_point at;
  };
  static constexpr std::chrono::minutes kMemory{5};  // clients that try again do so within seconds

  static void finish(Entry& entry, Status status) {
    entry.result.emplace(std::move(status));
    entry.timer.cancel();
  }

  bool enqueue(const std::shared_ptr<Entry>& entry) {
    {
      const MutexLock lock(mutex_);
      if (waiting_cost_ + entry->cost > options_.max_waiting) return false;
      waiting_cost_ += entry->cost;
      waiting_.push_back(entry);
    }
    wake_.notify_one();
    return true;
  }

  // Nobody waits for it any more. In a batch that is being tried it may be written all the same.
  void give_up(std::shared_ptr<Entry> entry) {
    {
      const MutexLock lock(mutex_);
      const auto place = std::ranges::find(waiting_, entry);
      if (place != waiting_.end()) {
        waiting_cost_ -= entry->cost;
        waiting_.erase(place);
        return;
      }
    }
    if (options_.is_same) given_up_.push_back({.entry = std::move(entry), .at = std::chrono::steady_clock::now()});
  }

  // What was given up and is handed in again; null when it is not, or was not written.
  std::shared_ptr<Entry> take_given_up(const Item& item) {
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(given_up_, [now](const GivenUp& one) { return one.entry->result && now - one.at > kMemory; });
    const auto place =
        std::ranges::find_if(given_up_, [&](const GivenUp& one) { return options_.is_same(one.entry->item, item); });
    if (place == given_up_.end()) return nullptr;
    std::shared_ptr<Entry> entry = std::move(place->entry);
    given_up_.erase(place);
    const bool has_failed = entry->result && !*entry->result;
    return has_failed ? nullptr : entry;
  }

  // Empty when it is time to stop.
  Entries take() {
    const MutexLock lock(mutex_);
    while (!stopping_ && waiting_.empty()) wake_.wait(mutex_);
    Entries batch;
    if (stopping_) return batch;
    while (!waiting_.empty() && batch.size() < options_.max_batch) {
      batch.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    return batch;
  }

  // False: it is time to stop.
  bool pause(std::chrono::milliseconds duration) {
    const auto deadline = std::chrono::steady_clock::now() + duration;
    const MutexLock lock(mutex_);
    while (!stopping_ && wake_.wait_until(mutex_, deadline)) {
    }
    return !stopping_;
  }

  void run() {
    for (Entries batch = take(); !batch.empty(); batch = take()) commit(std::move(batch));
  }

  void commit(Entries batch) {
    constexpr std::chrono::milliseconds kLongestPause{1'000};
    std::chrono::milliseconds delay{50};
    std::vector<const Item*> items;
    for (const auto& entry : batch) items.push_back(&entry->item);
    std::vector<Status> results(batch.size());
    Status status = commit_(items, results);
    while (!status && status.error().code == ErrorCode::kUnavailable) {
      log_.warn("commit failed and is tried again", {{"items", batch.size()}, {"error", status.error().message}});
      count(&Stats::retries, 1);
      if (!pause(delay)) {
        status = fail(ErrorCode::kCanceled, "the server is shutting down");
        break;
      }
      delay = std::min(delay * 2, kLongestPause);
      results.assign(batch.size(), Status());
      status = commit_(items, results);
    }
    if (!status) results.assign(batch.size(), status);
    deliver(std::move(batch), std::move(results));
  }

  void deliver(Entries batch, std::vector<Status> results) {
    {
      const MutexLock lock(mutex_);
      for (const auto& entry : batch) waiting_cost_ -= entry->cost;
      stats_.items += batch.size();
      ++stats_.commits;
    }
    asio::post(executor_, [batch = std::move(batch), results = std::move(results), committed = committed_]() mutable {
      for (std::size_t i = 0; i < batch.size(); ++i) finish(*batch[i], std::move(results[i]));
      (*committed)();
    });
  }

  void count(std::uint64_t Stats::* what, std::uint64_t n) {
    const MutexLock lock(mutex_);
    stats_.*what += n;
  }

  asio::any_io_executor executor_;
  Options options_;
  Commit commit_;
  std::shared_ptr<std::function<void()>> committed_;
  Logger log_{"store.group_commit"};
  std::vector<GivenUp> given_up_;  // belongs to the executor

  mutable Mutex mutex_;
  Condition wake_;
  std::deque<std::shared_ptr<Entry>> waiting_ DET_GUARDED_BY(mutex_);
  std::size_t waiting_cost_ DET_GUARDED_BY(mutex_) = 0;
  Stats stats_ DET_GUARDED_BY(mutex_);
  bool stopping_ DET_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace det::store
