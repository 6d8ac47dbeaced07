#pragma once

// Whether the database can be asked, for those who must answer at once: a query of an outage takes longer than a
// readiness probe waits. Belongs to the io thread; the clock, and what `ask` uses, outlive it.

#include <functional>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/task.h"

namespace det::api {

class DatabaseLook {
 public:
  // `ask`: one small query; whether it was answered.
  DatabaseLook(Clock& clock, std::function<Task<bool>()> ask) : clock_(clock), ask_(std::move(ask)) {}

  // Asks every few seconds, until cancelled.
  Task<void> run();
  // As the last answer has it, unless one is awaited for too long. Before the first: true.
  [[nodiscard]] bool is_there() const;

 private:
  Clock& clock_;
  std::function<Task<bool>()> ask_;
  bool was_there_ = true;
  std::optional<SteadyTime> asked_at_;  // and not answered yet
};

}  // namespace det::api
