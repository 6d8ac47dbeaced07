#include "api/users/login_gate.h"

#include <algorithm>
#include <utility>

#include "base/async.h"

namespace det::api {

namespace {

// A login that waits this long is of no use to anybody.
constexpr std::chrono::seconds kPatience{60};

std::unexpected<Error> too_many(const char* of_what) {
  Error error;
  error.code = ErrorCode::kResourceExhausted;
  error.message = std::string("too many logins at once ") + of_what + "; try again";
  error.retry_after = std::chrono::seconds(1);
  return std::unexpected(std::move(error));
}

}  // namespace

struct LoginGate::Waiter {
  Waiter(asio::any_io_executor executor, std::string address, std::string name, Standing standing)
      : address(std::move(address)), name(std::move(name)), standing(standing), called(std::move(executor)) {}

  std::string address;
  std::string name;
  Standing standing;  // stays as it is once it may go
  bool may_go = false;
  bool has_gone = false;
  Signal called;
};

// In the list while it lives; also when the wait is cancelled.
class LoginGate::Waiting {
 public:
  Waiting(LoginGate& gate, Waiter& waiter) : gate_(gate), waiter_(waiter) { gate_.waiting_.push_back(&waiter_); }
  ~Waiting() {
    std::erase(gate_.waiting_, &waiter_);
    if (waiter_.may_go && !waiter_.has_gone) const Turn unused(gate_, waiter_.standing);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  LoginGate& gate_;
  Waiter& waiter_;
};

LoginGate::Turn::~Turn() {
  if (gate_ == nullptr) return;
  --gate_->running_[static_cast<std::size_t>(standing_)];
  gate_->dispatch();
}

Task<Result<LoginGate::Turn>> LoginGate::wait(std::string address, std::string name) {
  DET_CO_TRY(check_room(address, name));
  const Standing standing = standing_of(address, name);
  const auto executor = co_await asio::this_coro::executor;
  Waiter waiter(executor, std::move(address), std::move(name), standing);
  const Waiting waiting(*this, waiter);
  dispatch();
  const SteadyTime end = clock_.steady_now() + kPatience;
  while (!waiter.may_go) {
    const auto seen = waiter.called.version();
    const bool was_called = co_await waiter.called.wait(seen, end - clock_.steady_now());
    if (!was_called && !waiter.may_go) co_return too_many("for the time being");
  }
  waiter.has_gone = true;
  co_return Turn(*this, waiter.standing);
}

LoginGate::Standing LoginGate::standing_of(const std::string& address, const std::string& name) const {
  if (right_.contains(address + " " + name)) return Standing::kKnown;
  const auto wrong = wrong_.find(address);
  const bool is_suspect = wrong != wrong_.end() && wrong->second > clock_.steady_now();
  return is_suspect ? Standing::kSuspect : Standing::kStranger;
}

Status LoginGate::check_room(const std::string& address, const std::string& name) {
  const Standing standing = standing_of(address, name);
  std::size_t alike = 0;
  std::size_t from_here = 0;
  std::size_t of_name = 0;
  for (const Waiter* one : waiting_) {
    if (one->standing == standing) ++alike;
    if (one->address != address) continue;
    if (one->standing == standing) ++from_here;
    if (one->name == name) ++of_name;
  }
  if (of_name >= limits_.waiting_per_name) return too_many("of one user from one address");
  const std::size_t most = standing == Standing::kSuspect ? limits_.waiting_per_suspect : limits_.waiting_per_address;
  if (standing != Standing::kKnown && from_here >= most) return too_many("from one address");
  if (alike >= limits_.waiting) return too_many("in all");
  return {};
}

void LoginGate::dispatch() {
  while (running_[0] + running_[1] + running_[2] < limits_.threads) {
    Waiter* const chosen = next();
    if (chosen == nullptr) return;
    chosen->may_go = true;
    if (last_turn_.size() >= limits_.remembered) last_turn_.clear();
    last_turn_[chosen->address] = ++turns_;
    ++running_[static_cast<std::size_t>(chosen->standing)];
    chosen->called.notify_all();
  }
}

LoginGate::Waiter* LoginGate::next() const {
  Waiter* const known = next_of(Standing::kKnown);
  if (known != nullptr && running(Standing::kKnown) == 0) return known;
  if (Waiter* const stranger = next_of(Standing::kStranger)) return stranger;
  if (known != nullptr) return known;
  return running(Standing::kSuspect) < limits_.suspect_threads ? next_of(Standing::kSuspect) : nullptr;
}

LoginGate::Waiter* LoginGate::next_of(Standing standing) const {
  Waiter* best = nullptr;
  std::uint64_t best_turn = 0;
  for (Waiter* one : waiting_) {
    if (one->may_go || one->standing != standing) continue;
    const auto found = last_turn_.find(one->address);
    const std::uint64_t turn = found == last_turn_.end() ? 0 : found->second;
    if (best != nullptr && turn >= best_turn) continue;
    best = one;
    best_turn = turn;
  }
  return best;
}

void LoginGate::note_wrong(const std::string& address) {
  const SteadyTime now = clock_.steady_now();
  if (wrong_.size() >= limits_.remembered) {
    std::erase_if(wrong_, [now](const auto& entry) { return entry.second <= now; });
    if (wrong_.size() >= limits_.remembered) wrong_.clear();
  }
  wrong_.insert_or_assign(address, now + limits_.suspicion);
  for (Waiter* one : waiting_) {
    if (one->address == address && !one->may_go) one->standing = standing_of(address, one->name);
  }
}

void LoginGate::note_right(const std::string& address, const std::string& name) {
  if (right_.size() >= limits_.remembered) right_.clear();
  right_.insert_or_assign(address + " " + name, true);
}

}  // namespace det::api
