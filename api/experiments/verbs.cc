#include "api/experiments/verbs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/experiments/object_edit.h"

namespace det::api {

namespace {

using model::ExperimentState;

constexpr std::chrono::milliseconds kLookPause{25};

Task<Result<std::optional<Unseen>>> set_suspend(ApiServices& services, store::ExperimentRow row, bool suspend) {
  if (model::is_terminal(row.state)) co_return fail(ErrorCode::kFailedPrecondition, "experiment in terminal state");
  const model::ExperimentId id = row.id;
  DET_CO_TRY(co_await edit_experiment_spec(services, std::move(row), "suspend", suspend));
  co_return Unseen{.id = id, .before = {suspend ? ExperimentState::kActive : ExperimentState::kPaused}};
}

// Stopping what has ended is success.
Task<Result<std::optional<Unseen>>> stop(ApiServices& services, store::ExperimentRow row, const char* how) {
  if (model::is_terminal(row.state) || row.state == ExperimentState::kStoppingKilled) co_return std::nullopt;
  const model::ExperimentId id = row.id;
  DET_CO_TRY(co_await edit_experiment_spec(services, std::move(row), "stop", how));
  co_return Unseen{.id = id, .before = {ExperimentState::kActive, ExperimentState::kPaused}};
}

// What rows alone say is seen at once.
Result<std::optional<Unseen>> seen_at_once(Status done) {
  if (!done) return std::unexpected(std::move(done).error());
  return std::nullopt;
}

// Its files are in storage that the operator's pods reach: it goes when they are gone (operator/removal/collector.h).
Task<Status> begin_delete(ApiServices& services, store::ExperimentRow row) {
  const model::ExperimentId id = row.id;
  DET_CO_TRY(co_await check_deletable(services, std::move(row)));
  co_return co_await services.stores.removals.begin_delete(id);
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

Task<Result<std::optional<Unseen>>> begin_verb(ApiServices& services, ExperimentVerb verb, model::ExperimentId id) {
  auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  const bool is_unmanaged = (**row).is_unmanaged;
  const bool is_over = model::is_terminal((**row).state) || (is_unmanaged && (**row).state == ExperimentState::kPaused);
  if (is_unmanaged && verb != ExperimentVerb::kArchive && verb != ExperimentVerb::kUnarchive &&
      verb != ExperimentVerb::kDelete) {
    co_return seen_at_once(co_await apply_to_unmanaged(services, verb, id));
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
      if (verb == ExperimentVerb::kDelete) co_return seen_at_once(co_await begin_delete(services, std::move(**row)));
      co_return seen_at_once(co_await services.stores.experiments.set_archived(id, verb == ExperimentVerb::kArchive));
  }
  co_return std::nullopt;
}

Task<Status> apply_verb(ApiServices& services, ExperimentVerb verb, model::ExperimentId id) {
  auto begun = co_await begin_verb(services, verb, id);
  DET_CO_TRY(begun);
  if (*begun) co_await wait_until_seen(services, {std::move(**begun)});
  co_return Status();
}

// Gives the reconcilers a moment, so that who asks next, `det e wait` for one, does not find the experiment as it was.
Task<void> wait_until_seen(ApiServices& services, std::vector<Unseen> unseen) {
  const auto is_seen = [&services](const Unseen& one) -> Task<bool> {
    const auto row = co_await services.stores.experiments.find(one.id);
    co_return !row || !*row || std::ranges::find(one.before, (*row)->state) == one.before.end();
  };
  co_await wait_until_seen(services.clock, services.settings.verb_patience, std::move(unseen), is_seen);
}

Task<void> wait_until_seen(Clock& clock, std::chrono::milliseconds patience, std::vector<Unseen> unseen,
                           std::function<Task<bool>(const Unseen&)> is_seen) {
  const SteadyTime end = clock.steady_now() + patience;
  // One that is not seen is waited for before the next one is asked for: a look costs a query.
  while (!unseen.empty() && clock.steady_now() < end) {
    if (co_await is_seen(unseen.back())) {
      unseen.pop_back();
    } else {
      co_await clock.sleep_for(kLookPause);
    }
  }
}

}  // namespace det::api
