#include "operator/cluster/sweeper.h"

#include <unordered_set>

#include "base/race.h"
#include "operator/gang/run_log.h"
#include "operator/live_states.h"
#include "operator/trial/trial_facts.h"

namespace det::op {
namespace {

using model::ExperimentState;

constexpr std::chrono::minutes kInterval{2};
// REST inserts the row and then creates the object; a row without one that is older than this never gets it.
constexpr std::chrono::minutes kOrphanAge{10};

}  // namespace

Task<void> Sweeper::run() {
  for (;;) {
    const auto seen = wake_.version();
    auto swept = co_await sweep();
    if (!swept) log_.warn("a sweep failed; the next one tries again", {{"error", swept.error().message}});
    co_await wait_on_clock(wake_, seen, services_.clock, kInterval);
  }
}

Task<Status> Sweeper::sweep() {
  store::ExperimentFilter filter;
  filter.states = live_experiment_states();
  auto page = co_await services_.stores.experiments.list(filter);
  DET_CO_TRY(page);
  std::unordered_set<std::string> uids;
  for (const auto& key : services_.informers.experiments.keys()) {
    if (const KeptExperiment* kept = services_.informers.experiments.find(key)) uids.insert(kept->head.uid);
  }
  const WallTime now = services_.clock.wall_now();
  Status swept;
  for (auto& item : page->items) {
    if (item.row.is_unmanaged) continue;  // it never has one
    const bool has_object = !item.row.uid.empty();
    if (has_object && uids.contains(item.row.uid)) continue;
    if (!has_object && now - item.row.start_time < kOrphanAge) continue;
    if (has_object) {
      // Another namespace than ours, or a copy that is behind: the server knows.
      auto live = co_await services_.client.get(k8s::experiments(), {.ns = item.row.ns, .name = item.row.name});
      if (live && view_experiment(*live).uid == item.row.uid) continue;
      if (!live && live.error().code != ErrorCode::kNotFound) {
        swept = std::unexpected(std::move(live).error());  // those behind it are looked at none the less
        continue;
      }
    }
    auto ended = co_await end_experiment(std::move(item.row), has_object ? "the Experiment object was deleted"
                                                                         : "its Experiment object was never created");
    if (!ended) co_return ended;
  }
  co_return swept;
}

Task<Status> Sweeper::end_experiment(store::ExperimentRow row, std::string why) {
  const OperatorStores& stores = services_.stores;
  auto trials = co_await stores.trials.of_experiment(row.id);
  DET_CO_TRY(trials);
  for (const auto& trial : *trials) {
    if (model::is_terminal(trial.state)) continue;
    co_await write_abandoned(stores.logs, services_.clock, trial, why);
    auto ended = co_await stores.trials.end(services_.epoch, trial.id, abandoned(trial, why));
    DET_CO_TRY(ended);
  }
  auto moved = co_await stores.experiments.transition(services_.epoch, row.id, live_experiment_states(),
                                                      ExperimentState::kCanceled, why);
  DET_CO_TRY(moved);
  log_.info("experiment ended without its object", {{"experiment", row.id.value}, {"why", why}});
  co_return Status{};
}

}  // namespace det::op
