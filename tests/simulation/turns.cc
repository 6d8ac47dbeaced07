#include "tests/simulation/turns.h"

#include <utility>

namespace det::simulation {

Turns::Turns(FaultPlan* plan, Outage outage, std::function<void()> killed, std::function<void()> usurped)
    : plan_(plan), outage_(std::move(outage)), killed_(std::move(killed)), usurped_(std::move(usurped)) {}

pg::PoolOptions Turns::pool_options(const Database& database) {
  return {.url = database.url(),
          .connections = 1,
          .application_name = "simulated",
          .post = [this](std::move_only_function<void()> job) { jobs_.push_back(std::move(job)); },
          .loses = [this](pg::Moment moment, const std::string& transaction,
                          pg::Access access) { return loses(moment, transaction, access); },
          .spare = database.spare_connections()};
}

void Turns::run_next() {
  has_written_ = false;
  is_new_ = !std::exchange(is_late_, false) && plan_ != nullptr && !is_ended_;
  fault_ = is_new_ ? plan_->next({.place = Place::kDatabase, .what = {}, .is_stream = false}) : FaultKind::kNone;
  if (fault_ == FaultKind::kSecondLeader) {
    is_late_ = true;
    usurped_();
    return;
  }
  if (fault_ == FaultKind::kKilledBefore) killed_();
  auto job = std::move(jobs_.front());
  jobs_.pop_front();
  job();
  if (fault_ == FaultKind::kKilledAfter) killed_();
}

bool Turns::loses(pg::Moment moment, const std::string& transaction, pg::Access access) {
  if (moment == pg::Moment::kAfterCommit && access == pg::Access::kWrite) has_written_ = true;
  if (std::exchange(is_new_, false)) plan_->name_last(transaction);
  if (is_ended_ || outage_.is_away()) return true;
  switch (fault_) {
    case FaultKind::kConnectionLost:
    case FaultKind::kDatabaseAway:
      if (moment != pg::Moment::kBeforeCommit) return false;
      break;
    case FaultKind::kCommitUnheard:
    case FaultKind::kAwayAfterCommit:
      if (moment != pg::Moment::kAfterCommit) return false;
      break;
    default:
      return false;
  }
  if (fault_ == FaultKind::kDatabaseAway || fault_ == FaultKind::kAwayAfterCommit) outage_.away();
  fault_ = FaultKind::kNone;  // once
  return true;
}

}  // namespace det::simulation
