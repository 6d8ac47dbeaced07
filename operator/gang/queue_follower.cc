#include "operator/gang/queue_follower.h"

#include "base/race.h"

namespace det::op {
namespace {

constexpr std::chrono::seconds kRetry{2};
// What was changed while no notification reached us.
constexpr std::chrono::minutes kAnyway{5};

}  // namespace

Task<void> QueueFollower::read() {
  for (;;) {
    auto places = co_await services_.stores.queue_places.places();
    if (places) {
      backend_.set_places(std::move(*places));
      co_return;
    }
    log_.warn("the order of the queue cannot be read yet", {{"error", places.error().message}});
    co_await services_.clock.sleep_for(kRetry);
  }
}

Task<void> QueueFollower::run() {
  for (;;) {
    const auto seen = wake_.version();
    co_await read();
    co_await wait_on_clock(wake_, seen, services_.clock, kAnyway);
  }
}

}  // namespace det::op
