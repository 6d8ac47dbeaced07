#include "http/body_budget.h"

#include <utility>

namespace det::http {

namespace {

constexpr std::size_t kReserve = 8;  // one part of so many is for small bodies

}  // namespace

bool BodyBudget::Share::grow(std::size_t bytes) {
  std::size_t& account = budget_.accounts_[account_];
  const auto limit = [this](std::size_t all) { return is_small_ ? all : all - all / kReserve; };
  if (budget_.held_ + bytes > limit(budget_.limits_.total) || account + bytes > limit(budget_.limits_.per_account)) {
    ++budget_.refused_;
    return false;
  }
  budget_.held_ += bytes;
  account += bytes;
  held_ += bytes;
  return true;
}

bool BodyBudget::Share::keep_in_memory(std::size_t bytes) {
  if (budget_.in_memory_ + bytes > budget_.limits_.in_memory) return false;
  budget_.in_memory_ += bytes;
  in_memory_ += bytes;
  return true;
}

void BodyBudget::Share::give_back() {
  budget_.held_ -= held_;
  budget_.in_memory_ -= in_memory_;
  const std::size_t held = std::exchange(held_, 0);
  in_memory_ = 0;
  const auto account = budget_.accounts_.find(account_);
  if (account == budget_.accounts_.end()) return;
  account->second -= held;
  if (account->second == 0) budget_.accounts_.erase(account);
}

}  // namespace det::http
