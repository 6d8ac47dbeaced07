#pragma once

// Holds lines of tasks' logs against the expressions that webhooks look for, and puts down what was found. Belongs to
// the io thread, which matches nothing itself: expressions are strangers', and so are lines. The store, the pool and
// the clock outlive it.

#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "base/bounded_map.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/task.h"
#include "base/turns.h"
#include "store/logs/log_chunk.h"
#include "store/webhooks/event_store.h"

namespace det::api {

struct Findings {
  std::vector<store::LogFinding> found;
  bool is_whole = true;  // false when the time was too short
};

class LogTriggers {
 public:
  LogTriggers(Clock& clock, store::WebhookEventStore& events, asio::thread_pool& workers)
      : clock_(clock), events_(events), workers_(workers) {}

  // The lines and `turns`, which are those at the workers by task, outlive the call. What goes wrong is logged and
  // forgotten: a log must not fail for its watchers.
  Task<void> look(std::string task_id, const std::vector<store::LogLine>& lines, Turns& turns);
  // When webhooks, or experiments' states, have changed.
  void forget_all() { known_.clear(); }

 private:
  struct Known {
    std::vector<store::LogTrigger> triggers;  // that have found nothing yet
    SteadyTime asked_at;
  };
  Task<Result<std::vector<store::LogTrigger>>> triggers_of(std::string task_id);
  Task<Findings> match(std::string task_id, const std::vector<store::LogTrigger>& triggers,
                       const std::vector<store::LogLine>& lines, Turns& turns);

  Clock& clock_;
  store::WebhookEventStore& events_;
  asio::thread_pool& workers_;
  BoundedMap<std::string, Known> known_{5'000};  // by task
  Logger log_{"webhooks"};
};

// What of these triggers is found, each once, in at most `patience`. Exported for tests.
[[nodiscard]] Findings find_in_lines(const std::vector<store::LogTrigger>& triggers,
                                     const std::vector<store::LogLine>& lines, std::chrono::nanoseconds patience);

}  // namespace det::api
