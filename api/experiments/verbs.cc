#include "api/experiments/verbs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/experiments/object_edit.h"

namespace det::api {

namespace {

using model::ExperimentState;

constexpr std::chrono::milliseconds kLookPause{25};

// Gives the reconcilers a moment, so that who asks next, `det e wait` for one, does not find the experiment as it was.
Task<void> wait_while(ApiServices& services, model::ExperimentId id, std::vector<ExperimentState> before) {
  for (std::chrono::milliseconds waited{0}; waited < services.settings.verb_patience; waited += kLookPause) {
    const auto row = co_await services.stores.experiments.find(id);
    if (!row || !*row || std::ranges::find(before, (*row)->state) == before.end()) co_return;
    co_await services.clock.sleep_for(kLookPause);
  }
}

Task<Status> set_suspend(ApiServices& services, store::ExperimentRow row, bool suspend) {
  if (model::is_terminal(row.state)) co_return fail(ErrorCode::kFailedPrecondition, "experiment in terminal state");
  const model::ExperimentId id = row.id;
  DET_CO_TRY(co_await edit_experiment_spec(services, std::move(row), "suspend", suspend));
  co_await wait_while(services, id, {suspend ? ExperimentState::kActive : ExperimentState::kPaused});
  co_return Status();
}

// Stopping what has ended is success.
Task<Status> stop(ApiServices& services, store::ExperimentRow row, const char* how) {
  if (model::is_terminal(row.state) || row.state == ExperimentState::kStoppingKilled) co_return Status();
  const model::ExperimentId id = row.id;
  DET_CO_TRY(co_await edit_experiment_spec(services, std::move(row), "stop", how));
  co_await wait_while(services, id, {ExperimentState::kActive, ExperimentState::kPaused});
  co_return Status();
}

// Nobody here can stop or hold its programs.
Task<Status> apply_to_unmanaged(ApiServices& services, ExperimentVerb verb, model::ExperimentId id) {
  if (verb == ExperimentVerb::kCancel || verb == ExperimentVerb::kKill) {
    co_return co_await services.stores.unmanaged.cancel(id);
  }
  co_return fail(ErrorCode::kFailedPrecondition,
                 "experiment " + to_string(id) +
                     " is unmanaged: its trials run outside of the cluster, where they are paused and started");
}

}  // namespace

Task<void> wait_for_first_trial(ApiServices& services, model::ExperimentId id) {
  constexpr std::chrono::milliseconds kFirstPause{5};
  std::chrono::milliseconds pause = kFirstPause;
  for (std::chrono::milliseconds waited{0}; waited < services.settings.verb_patience;) {
    co_await services.clock.sleep_for(pause);
    waited += pause;
    const auto counts = co_await services.stores.trials.counts(id);
    if (!counts || counts->total > 0) co_return;
    const auto row = co_await services.stores.experiments.find(id);
    if (!row || !*row) co_return;
    // A paused one searches, too: its trials wait for their turn.
    const ExperimentState state = (*row)->state;
    if (state != ExperimentState::kActive && state != ExperimentState::kPaused) co_return;
    pause = std::min(2 * pause, kLookPause);
  }
}

Task<Status> apply_verb(ApiServices& services, ExperimentVerb verb, model::ExperimentId id) {
  auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  const bool is_unmanaged = (**row).is_unmanaged;
  const bool is_over = model::is_terminal((**row).state) || (is_unmanaged && (**row).state == ExperimentState::kPaused);
  if (is_unmanaged && verb != ExperimentVerb::kArchive && verb != ExperimentVerb::kUnarchive &&
      verb != ExperimentVerb::kDelete) {
    co_return co_await apply_to_unmanaged(services, verb, id);
  }
  switch (verb) {
    case ExperimentVerb::kPause:
      co_return co_await set_suspend(services, std::move(**row), true);
    case ExperimentVerb::kActivate:
      co_return co_await set_suspend(services, std::move(**row), false);
    case ExperimentVerb::kCancel:
      co_return co_await stop(services, std::move(**row), "Cancel");
    case ExperimentVerb::kKill:
      co_return co_await stop(services, std::move(**row), "Kill");
    case ExperimentVerb::kArchive:
    case ExperimentVerb::kUnarchive:
    case ExperimentVerb::kDelete:
      if (!is_over) co_return fail(ErrorCode::kFailedPrecondition, "Experiment is not in terminal state.");
      // Its files are in storage that the operator's pods reach: it goes when they are gone
      // (operator/removal/collector.h).
      if (verb == ExperimentVerb::kDelete) co_return co_await services.stores.removals.begin_delete(id);
      co_return co_await services.stores.experiments.set_archived(id, verb == ExperimentVerb::kArchive);
  }
  co_return Status();
}

}  // namespace det::api
