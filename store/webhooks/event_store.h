#pragma once

// What tasks bring about: lines of their logs that triggers look for, and messages of their own. Belongs to the io
// thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pg/pool.h"
#include "store/webhooks/webhook_rows.h"

namespace det::store {

// A trigger that looks for something in a task's log.
struct LogTrigger {
  std::int64_t id = 0;
  std::string regex;
};

// A line that a trigger found.
struct LogFinding {
  std::int64_t trigger = 0;
  std::string node;
  std::string line;
};

struct CustomEvent {
  model::ExperimentId experiment;
  std::optional<model::TrialId> trial;
  std::string level;
  std::string title;
  std::string description;
};

class WebhookEventStore {
 public:
  // Messages of one webhook that wait; more of tasks are not taken.
  static constexpr int kMostWaiting = 1'000;

  explicit WebhookEventStore(pg::Pool& pool) : pool_(pool) {}

  // Those that have not told of this task yet: of its workspace or of all, and meant for its experiment.
  Task<Result<std::vector<LogTrigger>>> log_triggers(std::string task_id);
  // Tells once of each trigger and task, however often it is found. The triggers that told now: of the others some have
  // told before, and some have a webhook for which too many messages wait.
  Task<Result<std::vector<std::int64_t>>> found_in_log(std::string task_id, std::vector<LogFinding> findings);
  // To the webhooks with a custom trigger that the experiment's configuration names.
  Task<Status> custom(CustomEvent event);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
