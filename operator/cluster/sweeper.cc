#include "operator/cluster/sweeper.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/race.h"
#include "operator/gang/run_log.h"
#include "operator/live_states.h"
#include "operator/trial/trial_facts.h"

namespace det::op {
namespace {

using model::ExperimentState;

constexpr std::chrono::minutes kInterval{2};
// A namespace that goes takes many objects with it, one after another.
constexpr std::chrono::seconds kAfterWake{1};
// Experiments whose configurations are held at a time.
constexpr std::ptrdiff_t kBlock = 100;
// REST inserts the row and then creates the object; a row without one that is older than this never gets it.
constexpr std::chrono::minutes kOrphanAge{10};

}  // namespace

Task<void> Sweeper::run() {
  for (;;) {
    const auto seen = wake_.version();
    auto swept = co_await sweep();
    if (!swept) log_.warn("a sweep failed; the next one tries again", {{"error", swept.error().message}});
    if (co_await wait_on_clock(wake_, seen, services_.clock, kInterval)) co_await services_.clock.sleep_for(kAfterWake);
  }
}

Task<Status> Sweeper::sweep() {
  store::ExperimentFilter filter;
  filter.states = live_experiment_states();
  const auto live = co_await services_.stores.experiments.ids(filter);
  DET_CO_TRY(live);
  SeenObjects seen;
  for (const auto& key : services_.informers.experiments.keys()) {
    const KeptExperiment* const kept = services_.informers.experiments.find(key);
    if (kept == nullptr) continue;
    seen.uids.insert(kept->head.uid);
    seen.nonces.insert(kept->head.nonce);
  }
  Status swept;
  for (auto at = live->items.begin(); at != live->items.end();) {
    const auto end = std::next(at, std::min(kBlock, std::distance(at, live->items.end())));
    std::vector<std::int64_t> block;
    for (; at != end; ++at) block.push_back(at->value);
    auto views = co_await services_.stores.experiments.views(std::move(block));
    DET_CO_TRY(views);
    for (auto& view : *views) {
      const auto lost = co_await has_lost_object(view.row, seen);
      // Those behind it are looked at none the less.
      if (!lost) swept = std::unexpected(lost.error());
      if (!lost || !*lost) continue;
      const char* why =
          view.row.uid.empty() ? "its Experiment object was never created" : "the Experiment object was deleted";
      if (const Status ended = co_await end_experiment(std::move(view.row), why); !ended) swept = ended;
    }
  }
  const Status removed = co_await orphans_.remove();
  co_return swept ? removed : swept;
}

Task<Result<bool>> Sweeper::has_lost_object(const store::ExperimentRow& row, const SeenObjects& seen) {
  // It ended meanwhile; or it never has one.
  if (model::is_terminal(row.state) || row.is_unmanaged) co_return false;
  if (row.uid.empty()) {
    // One with its nonce is to be adopted: nobody could for long.
    const bool is_old = services_.clock.wall_now() - row.start_time >= kOrphanAge;
    co_return is_old && !seen.nonces.contains(row.nonce);
  }
  if (seen.uids.contains(row.uid)) co_return false;
  // Another namespace than ours, or a copy that is behind: the server knows.
  const auto live = co_await services_.client.get(k8s::experiments(), {.ns = row.ns, .name = row.name});
  if (!live && live.error().code != ErrorCode::kNotFound) co_return std::unexpected(live.error());
  co_return !live || view_experiment(*live).uid != row.uid;
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
