#pragma once

// Runs a reconciler over a work queue: `workers` coroutines, one key never twice at a time, each run with an id of its
// own in its log lines. Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "k8sclient/work_queue.h"

namespace det::k8s {

// How a reconcile ended. An Error (instead of an Outcome) is retried with backoff.
struct Done {};  // nothing to do until something changes; the key's backoff is reset
struct CheckAgain {
  std::chrono::nanoseconds after;
};  // a deadline is pending
struct AwaitChange {};  // something else must happen first; no retry, backoff is reset
using Outcome = std::variant<Done, CheckAgain, AwaitChange>;

// To be looked at again when `deadline`, if there is one, is over; a little later, so that it is.
[[nodiscard]] Outcome look_at(std::optional<WallTime> deadline, Clock& clock, Outcome otherwise);

using Reconcile = std::function<Task<Result<Outcome>>(std::string key, Logger log)>;

struct ControllerStats {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  std::uint64_t check_again = 0;
  std::uint64_t await_change = 0;
};

class Controller {
 public:
  // `pause`: at least so long between the end of a key's reconcile and its next one.
  Controller(std::string name, asio::any_io_executor executor, Clock& clock, Reconcile reconcile, int workers,
             std::chrono::nanoseconds pause = {});

  [[nodiscard]] WorkQueue& queue() { return queue_; }
  [[nodiscard]] const ControllerStats& stats() const { return stats_; }
  // Runs until cancelled; on return no reconcile is under way.
  Task<void> run();

 private:
  Task<void> work();
  Task<void> run_one(std::string key);
  void succeeded(const std::string& key, const Outcome& outcome);
  void failed(const std::string& key, const Error& error, const Logger& log);

  Logger log_;
  Reconcile reconcile_;
  int workers_;
  WorkQueue queue_;
  ControllerStats stats_;
  std::uint64_t next_run_ = 1;
};

}  // namespace det::k8s
