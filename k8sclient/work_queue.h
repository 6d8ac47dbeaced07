#pragma once

// Keys that wait to be reconciled. A key is in the queue at most once; a key added while it is being worked on runs
// again afterwards, never at the same time. Delays: add_after (earliest wins), add_rate_limited (exponential per key: 5
// ms, doubling, up to 5 min; forget() resets), and a pause between two runs of the same key, in which whatever adds it
// again comes together. Belongs to the io thread.

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/async.h"
#include "base/clock.h"

namespace det::k8s {

class WorkQueue {
 public:
  WorkQueue(asio::any_io_executor executor, Clock& clock, std::chrono::nanoseconds pause = {});

  // At once, or when the pause after the key's last run is over.
  void add(const std::string& key);
  void add_after(const std::string& key, std::chrono::nanoseconds delay);
  void add_rate_limited(const std::string& key);
  void forget(const std::string& key);
  // The next key, marked as being worked on until done(key); std::nullopt after shut_down().
  Task<std::optional<std::string>> get();
  void done(const std::string& key);
  void shut_down();

  [[nodiscard]] std::size_t depth() const { return ready_.size(); }
  [[nodiscard]] int failures(const std::string& key) const;

  // Moves keys whose delay is over to the queue; run by the controller as a coroutine until cancelled.
  Task<void> run_timers();

 private:
  struct Delayed {
    SteadyTime when;
    std::string key;
    auto operator<=>(const Delayed&) const = default;
  };
  void note_end(const std::string& key);
  // What is left of the pause after the key's last run; zero or less: nothing.
  [[nodiscard]] std::chrono::nanoseconds pause_left(const std::string& key) const;

  Clock& clock_;
  std::chrono::nanoseconds pause_;
  std::unordered_map<std::string, SteadyTime> ended_at_;  // of keys whose pause may not be over
  Signal changed_;
  Signal timers_changed_;
  std::deque<std::string> ready_;
  std::unordered_set<std::string> waiting_;  // in ready_, or to be put there by done()
  std::unordered_set<std::string> processing_;
  std::set<Delayed> delayed_;
  std::unordered_map<std::string, SteadyTime> delayed_at_;
  std::unordered_map<std::string, int> failures_;
  bool shut_down_ = false;
};

}  // namespace det::k8s
