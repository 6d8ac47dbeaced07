#include "api/access/task_sight.h"

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
  if (!has_roles(caller)) co_return true;
  const SteadyTime now = services_.clock.steady_now();
  if (const Known* known = known_.find(task_id); known != nullptr && now - known->read_at < kFreshFor) {
    co_return sees(caller, known->place);
  }
  const auto place = co_await services_.stores.place_of.task(task_id);
  DET_CO_TRY(place);
  if (!*place) co_return false;
  known_.put(task_id, {.place = **place, .read_at = now});
  co_return sees(caller, **place);
}

}  // namespace det::api
