#include "api/access/task_sight.h"

#include <utility>

#include "api/access_check.h"

namespace det::api {
namespace {

// An experiment may be moved to another workspace.
constexpr std::chrono::seconds kFreshFor{10};

bool sees(const Identity& caller, const store::TaskPlace& place) {
  return may(caller, place.is_trial ? model::Permission::kViewExperimentArtifacts : model::Permission::kViewNsc,
             place.workspace);
}

}  // namespace

Task<Result<bool>> TaskSight::may_look(Identity caller, std::string task_id) {
  auto ruled = co_await with_grants(services_, std::move(caller));
  DET_CO_TRY(ruled);
  if (!has_roles(*ruled)) co_return true;
  const SteadyTime now = services_.clock.steady_now();
  if (const Known* known = known_.find(task_id); known != nullptr && now - known->read_at < kFreshFor) {
    co_return sees(*ruled, known->place);
  }
  const auto place = co_await services_.stores.place_of.task(task_id);
  DET_CO_TRY(place);
  if (!*place) co_return false;
  known_.put(task_id, {.place = **place, .read_at = now});
  co_return sees(*ruled, **place);
}

}  // namespace det::api
