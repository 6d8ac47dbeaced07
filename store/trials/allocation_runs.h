#pragma once

// The runs of a task, whatever it is, inside someone's transaction: how one starts and how it ends. A detail of the
// stores that have runs; the caller holds the lock of the task's row.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/sql.h"
#include "store/trials/trial_rows.h"

namespace det::store {

struct RunOwner {
  std::string task_id;
  std::int64_t task_number = 0;
  int run = 0;  // the current one
  model::UserId user;
  std::optional<model::TrialId> trial;
};

// The run after the current one, or the current one again after a crash: then its tokens are replaced. Those before it
// end. kFailedPrecondition for any other run; `name` is for that, such as "trial 7".
[[nodiscard]] Status start_allocation(pqxx::transaction_base& tx, const RunOwner& owner, const NewRun& run,
                                      const std::string& name);
// True the first time: then the caller moves its counters.
bool end_allocation(pqxx::transaction_base& tx, std::int64_t task_number, const TrialExit& exit);
// For the end of the task: whatever of it is open ends, too. A run may have begun after the end was decided.
void end_open_allocations(pqxx::transaction_base& tx, std::int64_t task_number, const std::string& reason);
[[nodiscard]] InfraFailures infra_failures_of(pqxx::transaction_base& tx, std::int64_t task_number, WallTime since);

}  // namespace det::store
