#include "proxy/rights.h"

#include <set>
#include <tuple>
#include <utility>

#include "base/log.h"

namespace det::proxy {
namespace {

auto key_of(const Ground& ground) {
  return std::tie(ground.kind, ground.token_hash, ground.service.id);
}

// What roles hide is not found.
bool is_refusal(ErrorCode code) {
  return code == ErrorCode::kUnauthenticated || code == ErrorCode::kPermissionDenied || code == ErrorCode::kNotFound;
}

}  // namespace

Rights::Holder::Holder(Rights& rights, std::optional<Ground> ground)
    : rights_(rights), ground_(std::move(ground)), since_(rights.clock_.steady_now()), place_(rights.holders_.end()) {
  if (ground_) place_ = rights_.holders_.insert(rights_.holders_.end(), this);
}

Rights::Holder::~Holder() {
  if (!ground_) return;
  if (rights_.next_ == place_) ++rights_.next_;
  rights_.holders_.erase(place_);
}

Task<void> Rights::look(SteadyTime now) {
  const auto is_before = [](const Ground& a, const Ground& b) { return key_of(a) < key_of(b); };
  std::set<Ground, decltype(is_before)> grounds(is_before);
  for (const Holder* one : holders_) {
    if (now - one->since_ >= kBetweenLooks) grounds.insert(*one->ground_);
  }
  for (const Ground& ground : grounds) {
    const auto holds = co_await ask_(ground);
    if (holds ? *holds : !is_refusal(holds.error().code)) continue;
    Logger("proxy").info("connections ended with the right to them", {{"service", ground.service.id}});
    end(ground);
  }
}

void Rights::end(const Ground& lost) {
  for (next_ = holders_.begin(); next_ != holders_.end();) {
    Holder* const one = *next_;
    ++next_;
    if (key_of(*one->ground_) == key_of(lost)) one->lose_right();
  }
  next_ = holders_.end();
}

Task<void> Rights::run() {
  for (;;) {
    co_await clock_.sleep_for(kBetweenLooks);
    co_await look(clock_.steady_now());
  }
}

}  // namespace det::proxy
