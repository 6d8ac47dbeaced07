#include "api/body_turns.h"

#include <chrono>
#include <utility>

#include "base/async.h"

namespace det::api {

namespace {

// Nobody gives up: the turn comes, because each handler ends. It is only how long one await lasts.
constexpr std::chrono::hours kLong{1};

}  // namespace

struct BodyTurns::Waiter {
  Waiter(asio::any_io_executor executor, std::string account)
      : account(std::move(account)), called(std::move(executor)) {}

  std::string account;
  bool may_go = false;
  bool has_gone = false;
  Signal called;
};

// In the list while it lives; also when the wait is cancelled.
class BodyTurns::Waiting {
 public:
  Waiting(BodyTurns& turns, Waiter& waiter) : turns_(turns), waiter_(waiter) { turns_.waiting_.push_back(&waiter_); }
  ~Waiting() {
    std::erase(turns_.waiting_, &waiter_);
    if (waiter_.may_go && !waiter_.has_gone) const Turn unused(&turns_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  BodyTurns& turns_;
  Waiter& waiter_;
};

BodyTurns::Turn::~Turn() {
  if (turns_ == nullptr) return;
  turns_->is_taken_ = false;
  turns_->dispatch();
}

Task<BodyTurns::Turn> BodyTurns::wait(std::string account, std::size_t bytes) {
  if (bytes <= kLarge) co_return Turn(nullptr);
  Waiter waiter(co_await asio::this_coro::executor, std::move(account));
  const Waiting waiting(*this, waiter);
  dispatch();
  while (!waiter.may_go) co_await waiter.called.wait(waiter.called.version(), kLong);
  waiter.has_gone = true;
  co_return Turn(this);
}

void BodyTurns::dispatch() {
  if (is_taken_) return;
  Waiter* next = nullptr;
  std::uint64_t oldest = 0;
  for (Waiter* one : waiting_) {
    if (one->may_go) continue;
    const std::uint64_t* found = last_turn_.find(one->account);
    const std::uint64_t turn = found == nullptr ? 0 : *found;
    if (next != nullptr && turn >= oldest) continue;
    next = one;
    oldest = turn;
  }
  if (next == nullptr) return;
  is_taken_ = true;
  next->may_go = true;
  last_turn_.put(next->account, ++turns_);
  next->called.notify_all();
}

}  // namespace det::api
