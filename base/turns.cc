#include "base/turns.h"

#include <chrono>
#include <utility>

#include "base/async.h"

namespace det {

namespace {

// Nobody gives up: the turn comes, because each handler ends. It is only how long one await lasts.
constexpr std::chrono::hours kLong{1};

}  // namespace

struct Turns::Waiter {
  Waiter(asio::any_io_executor executor, std::string key) : key(std::move(key)), called(std::move(executor)) {}

  std::string key;
  bool may_go = false;
  bool has_gone = false;
  Signal called;
};

// In the list while it lives; also when the wait is cancelled.
class Turns::Waiting {
 public:
  Waiting(Turns& turns, Waiter& waiter) : turns_(turns), waiter_(waiter) { turns_.waiting_.push_back(&waiter_); }
  ~Waiting() {
    std::erase(turns_.waiting_, &waiter_);
    if (waiter_.may_go && !waiter_.has_gone) const Turn unused(&turns_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Turns& turns_;
  Waiter& waiter_;
};

Turns::Turn::~Turn() {
  if (turns_ == nullptr) return;
  --turns_->taken_;
  turns_->dispatch();
}

Task<Turns::Turn> Turns::wait(std::string key) {
  Waiter waiter(co_await asio::this_coro::executor, std::move(key));
  const Waiting waiting(*this, waiter);
  dispatch();
  while (!waiter.may_go) co_await waiter.called.wait(waiter.called.version(), kLong);
  waiter.has_gone = true;
  co_return Turn(this);
}

void Turns::dispatch() {
  while (taken_ < at_once_) {
    Waiter* const one = next();
    if (one == nullptr) return;
    ++taken_;
    one->may_go = true;
    last_turn_.put(one->key, ++turns_);
    one->called.notify_all();
  }
}

Turns::Waiter* Turns::next() {
  Waiter* found = nullptr;
  std::uint64_t oldest = 0;
  for (Waiter* one : waiting_) {
    if (one->may_go) continue;
    const std::uint64_t* last = last_turn_.find(one->key);
    const std::uint64_t turn = last == nullptr ? 0 : *last;
    if (found != nullptr && turn >= oldest) continue;
    found = one;
    oldest = turn;
  }
  return found;
}

}  // namespace det
