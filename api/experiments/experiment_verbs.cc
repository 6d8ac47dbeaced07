#include <chrono>

#include "api/arguments.h"
#include "api/experiments/object_edit.h"
#include "api/experiments/routes.h"

namespace det::api::routes {

namespace {

constexpr int kMostLooks = 40;
constexpr std::chrono::milliseconds kLookPause{25};

Task<Result<store::ExperimentRow>> row_of(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto row = co_await services.stores.experiments.find(model::ExperimentId{*id});
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' not found");
  co_return std::move(**row);
}

Task<Result<http::Response>> set_suspend(ApiServices& services, Call call, bool suspend) {
  auto row = co_await row_of(services, call);
  DET_CO_TRY(row);
  if (model::is_terminal(row->state)) co_return fail(ErrorCode::kFailedPrecondition, "experiment in terminal state");
  DET_CO_TRY(co_await edit_experiment_spec(services, std::move(*row), "suspend", suspend));
  co_return ok();
}

// Gives the reconcilers a moment, so that who asks next, `det e wait` for one, does not find the experiment paused
// still.
Task<void> wait_while_paused(ApiServices& services, model::ExperimentId id) {
  for (int looks = 0; looks < kMostLooks; ++looks) {
    const auto row = co_await services.stores.experiments.find(id);
    if (!row || !*row || (*row)->state != model::ExperimentState::kPaused) co_return;
    co_await services.clock.sleep_for(kLookPause);
  }
}

// Stopping what has ended is success.
Task<Result<http::Response>> stop(ApiServices& services, Call call, const char* how) {
  auto row = co_await row_of(services, call);
  DET_CO_TRY(row);
  const bool is_killed = row->state == model::ExperimentState::kStoppingKilled;
  if (model::is_terminal(row->state) || is_killed) co_return ok();
  const model::ExperimentId id = row->id;
  const bool is_paused = row->state == model::ExperimentState::kPaused;
  DET_CO_TRY(co_await edit_experiment_spec(services, std::move(*row), "stop", how));
  if (is_paused) co_await wait_while_paused(services, id);
  co_return ok();
}

Task<Result<http::Response>> set_archived(ApiServices& services, Call call, bool archived) {
  auto row = co_await row_of(services, call);
  DET_CO_TRY(row);
  if (!model::is_terminal(row->state)) {
    co_return fail(ErrorCode::kFailedPrecondition, "Experiment is not in terminal state.");
  }
  DET_CO_TRY(co_await services.stores.experiments.set_archived(row->id, archived));
  co_return ok();
}

}  // namespace

Task<Result<http::Response>> pause(ApiServices& services, Call call) {
  return set_suspend(services, std::move(call), true);
}

Task<Result<http::Response>> activate(ApiServices& services, Call call) {
  return set_suspend(services, std::move(call), false);
}

Task<Result<http::Response>> cancel(ApiServices& services, Call call) {
  return stop(services, std::move(call), "Cancel");
}

Task<Result<http::Response>> kill(ApiServices& services, Call call) {
  return stop(services, std::move(call), "Kill");
}

Task<Result<http::Response>> archive(ApiServices& services, Call call) {
  return set_archived(services, std::move(call), true);
}

Task<Result<http::Response>> unarchive(ApiServices& services, Call call) {
  return set_archived(services, std::move(call), false);
}

}  // namespace det::api::routes
