#include "k8sclient/work_queue.h"

#include <algorithm>
#include <utility>

#include "base/race.h"
#include "k8sclient/retry.h"

namespace det::k8s {
namespace {

constexpr std::chrono::milliseconds kFirstDelay{5};
constexpr std::chrono::milliseconds kMaxDelay{300'000};
constexpr std::chrono::hours kForEver{24};
constexpr std::size_t kMostEnds = 1024;

}  // namespace

WorkQueue::WorkQueue(asio::any_io_executor executor, Clock& clock, std::chrono::nanoseconds pause)
    : clock_(clock), pause_(pause), changed_(executor), timers_changed_(executor) {}

std::chrono::nanoseconds WorkQueue::pause_left(const std::string& key) const {
  const auto ended = ended_at_.find(key);
  if (ended == ended_at_.end()) return {};
  return ended->second + pause_ - clock_.steady_now();
}

void WorkQueue::note_end(const std::string& key) {
  if (pause_ <= std::chrono::nanoseconds::zero()) return;
  const SteadyTime now = clock_.steady_now();
  if (ended_at_.size() >= kMostEnds) {
    std::erase_if(ended_at_, [&](const auto& entry) { return entry.second + pause_ <= now; });
  }
  ended_at_.insert_or_assign(key, now);
}

void WorkQueue::add(const std::string& key) {
  if (shut_down_ || waiting_.contains(key)) return;
  if (const auto left = pause_left(key); left > std::chrono::nanoseconds::zero() && !processing_.contains(key)) {
    add_after(key, left);
    return;
  }
  waiting_.insert(key);
  if (processing_.contains(key)) return;  // done() puts it into the queue
  ready_.push_back(key);
  changed_.notify_all();
}

void WorkQueue::add_after(const std::string& key, std::chrono::nanoseconds delay) {
  if (shut_down_) return;
  if (delay <= std::chrono::nanoseconds::zero()) {
    add(key);
    return;
  }
  const SteadyTime when = clock_.steady_now() + delay;
  const auto known = delayed_at_.find(key);
  if (known != delayed_at_.end()) {
    if (known->second <= when) return;
    delayed_.erase({known->second, key});
  }
  delayed_at_[key] = when;
  delayed_.insert({when, key});
  timers_changed_.notify_all();
}

void WorkQueue::add_rate_limited(const std::string& key) {
  add_after(key, exponential_backoff(kFirstDelay, kMaxDelay, ++failures_[key]));
}

void WorkQueue::forget(const std::string& key) {
  failures_.erase(key);
}

Task<std::optional<std::string>> WorkQueue::get() {
  while (ready_.empty() && !shut_down_) {
    const auto seen = changed_.version();
    co_await changed_.wait(seen, kForEver);
  }
  if (shut_down_) co_return std::nullopt;
  std::string key = std::move(ready_.front());
  ready_.pop_front();
  waiting_.erase(key);
  processing_.insert(key);
  co_return key;
}

void WorkQueue::done(const std::string& key) {
  processing_.erase(key);
  note_end(key);
  if (!waiting_.contains(key) || shut_down_) return;
  if (pause_ > std::chrono::nanoseconds::zero()) {
    waiting_.erase(key);
    add_after(key, pause_);
    return;
  }
  ready_.push_back(key);
  changed_.notify_all();
}

void WorkQueue::shut_down() {
  shut_down_ = true;
  ready_.clear();
  waiting_.clear();
  delayed_.clear();
  delayed_at_.clear();
  changed_.notify_all();
  timers_changed_.notify_all();
}

int WorkQueue::failures(const std::string& key) const {
  const auto known = failures_.find(key);
  return known == failures_.end() ? 0 : known->second;
}

Task<void> WorkQueue::run_timers() {
  while (!shut_down_) {
    const auto seen = timers_changed_.version();
    const SteadyTime now = clock_.steady_now();
    while (!delayed_.empty() && delayed_.begin()->when <= now) {
      const std::string key = delayed_.begin()->key;
      delayed_.erase(delayed_.begin());
      delayed_at_.erase(key);
      add(key);
    }
    if (delayed_.empty()) {
      co_await timers_changed_.wait(seen, kForEver);
    } else {
      const auto left = delayed_.begin()->when - now;
      co_await wait_on_clock(timers_changed_, seen, clock_, left);
    }
  }
}

}  // namespace det::k8s
