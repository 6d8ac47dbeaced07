#include "operator/cluster/heartbeat_watch.h"

#include <chrono>

#include "operator/gang/run_log.h"

namespace det::op {
namespace {

constexpr std::chrono::seconds kSilence{300};  // a program sends one a minute
constexpr std::chrono::minutes kInterval{2};
constexpr std::chrono::seconds kNobodys{3'600LL * 24 * 365 * 100};

}  // namespace

Task<void> HeartbeatWatch::run() {
  for (;;) {
    // First the wait: after an outage of ours the programs have had no chance to be heard.
    co_await clock_.sleep_for(kInterval);
    const Status looked = co_await look();
    if (!looked)
      log_.warn("heartbeats were not looked at; the next look tries again", {{"error", looked.error().message}});
  }
}

Task<Status> HeartbeatWatch::look() {
  // While the database was away nobody could be heard. The first look after that ends no trial: by the next one those
  // that live have been heard.
  const auto ended = co_await unmanaged_.end_silent(was_away_ ? kNobodys : kSilence);
  was_away_ = !ended;
  DET_CO_TRY(ended);
  for (const auto& one : *ended) {
    log_.info("an unmanaged trial sent no heartbeat for five minutes", {{"trial", one.trial.value}});
    co_await write_run_log(
        logs_, clock_, one.task_id, {},
        "no heartbeat for five minutes: the program or its machine seems to be gone. The trial goes on "
        "when it is heard of again");
  }
  co_return Status();
}

}  // namespace det::op
