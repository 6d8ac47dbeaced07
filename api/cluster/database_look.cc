#include "api/cluster/database_look.h"

namespace det::api {

namespace {

constexpr std::chrono::seconds kBetweenLooks{5};
constexpr std::chrono::seconds kSlow{3};

}  // namespace

Task<void> DatabaseLook::run() {
  for (;;) {
    asked_at_ = clock_.steady_now();
    was_there_ = co_await ask_();
    asked_at_.reset();
    co_await clock_.sleep_for(kBetweenLooks);
  }
}

bool DatabaseLook::is_there() const {
  return was_there_ && !(asked_at_ && clock_.steady_now() - *asked_at_ > kSlow);
}

}  // namespace det::api
