#pragma once

// The transactions that wait for one process's only connection. The simulation takes them, one at a time, when it draws
// so; what a fault does to one is decided when its turn comes. Belongs to the thread of the simulation.

#include <chrono>
#include <deque>
#include <functional>
#include <string>

#include "base/async.h"
#include "pg/pool.h"
#include "tests/simulation/database.h"
#include "tests/simulation/fault_plan.h"

namespace det::simulation {

class Turns {
 public:
  // What the world knows of the database: `is_away` now; it goes `away` for a while.
  struct Outage {
    std::function<bool()> is_away;
    std::function<void()> away;
  };
  // `plan` null: nothing goes wrong with these, but for the outages that others make.
  Turns(FaultPlan* plan, Outage outage, std::function<void()> killed, std::function<void()> usurped);

  // For a pool whose transactions these are.
  [[nodiscard]] pg::PoolOptions pool_options(const Database& database);
  [[nodiscard]] bool has_next() const { return !jobs_.empty() && !is_held_; }
  // Runs the next one, which there is.
  void run_next();
  // Whether the one that was run last has committed a change.
  [[nodiscard]] bool has_written() const { return has_written_; }
  [[nodiscard]] bool is_away() const { return outage_.is_away(); }
  // From now on nothing reaches the database (the process died), or nothing does until it is let go.
  void end() { is_ended_ = true; }
  void hold(bool is_held) { is_held_ = is_held; }

 private:
  bool loses(pg::Moment moment, const std::string& transaction, pg::Access access);

  FaultPlan* plan_;
  Outage outage_;
  std::function<void()> killed_;
  std::function<void()> usurped_;
  std::deque<std::move_only_function<void()>> jobs_;
  FaultKind fault_ = FaultKind::kNone;  // of the one that runs
  bool is_new_ = false;                 // its first attempt has not begun
  bool is_late_ = false;                // the next one has had its fault: it comes late
  bool is_ended_ = false;
  bool is_held_ = false;
  bool has_written_ = false;
};

}  // namespace det::simulation
