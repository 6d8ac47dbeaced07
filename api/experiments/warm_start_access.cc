#include "api/experiments/warm_start_access.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/access_check.h"
#include "base/json_get.h"
#include "base/uuid.h"

namespace det::api {

Task<Status> require_warm_start(ApiServices& services, Identity caller, const wire::Json& config) {
  constexpr model::Permission kNeeded = model::Permission::kViewExperimentArtifacts;
  const wire::Json& searcher = get_any(config, "searcher");
  std::vector<std::int64_t> trials;
  if (const wire::Json& trial = get_any(searcher, "source_trial_id"); trial.is_number_integer()) {
    trials.push_back(trial.get<std::int64_t>());
  }
  DET_CO_TRY(co_await require_trials(services, caller, std::move(trials), kNeeded));
  std::vector<std::string> checkpoints;
  if (const std::string uuid = get_string(searcher, "source_checkpoint_uuid"); is_uuid(uuid))
    checkpoints.push_back(uuid);
  co_return co_await require_checkpoints(services, std::move(caller), std::move(checkpoints), kNeeded);
}

}  // namespace det::api
