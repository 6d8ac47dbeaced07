#include "api/jobs/job_lookup.h"

#include "api/access_check.h"
#include "api/agents/agent_views.h"
#include "base/json_get.h"
#include "store/experiments/experiment_pool.h"

namespace det::api {

Task<Result<JobFound>> find_job(ApiServices& services, Identity caller, std::string job, std::string field) {
  store::JobStore::JobOf of;
  if (!job.empty() && job.size() < 19 && job.find_first_not_of("0123456789") == std::string::npos) {
    of.experiment = model::ExperimentId{std::stoll(job)};
  } else {
    auto found = co_await services.stores.jobs.find(job);
    DET_CO_TRY(found);
    of = std::move(*found);
    if (!of.experiment && of.task_id.empty()) of.task_id = job;
  }
  JobFound found;
  if (of.experiment) {
    auto row = co_await services.stores.experiments.find(*of.experiment);
    DET_CO_TRY(row);
    found.experiment = std::move(*row);
  } else {
    auto row = co_await services.stores.tasks.find(of.task_id);
    DET_CO_TRY(row);
    found.task = std::move(*row);
  }
  bool is_seen = false;
  if (found.task) is_seen = may(caller, model::Permission::kViewNsc, found.task->workspace);
  if (found.experiment && !has_roles(caller)) is_seen = true;
  if (found.experiment && has_roles(caller)) {
    const auto place = co_await services.stores.place_of.experiment(found.experiment->id);
    DET_CO_TRY(place);
    is_seen = *place && may(caller, model::Permission::kViewExperimentMetadata, **place);
  }
  if (is_seen) co_return found;
  co_return fail(ErrorCode::kNotFound, "job '" + job + "' not found", std::move(field));
}

store::JobStore::JobOf job_of(const JobFound& job) {
  if (job.experiment) return {.experiment = job.experiment->id, .task_id = {}};
  return {.experiment = std::nullopt, .task_id = job.task->id};
}

std::string pool_of(const JobFound& job, const model::MasterConfig& master) {
  if (job.experiment) return pool_or_default(store::pool_now(*job.experiment), master);
  return pool_or_default(get_string(get_any(job.task->config, "resources"), "resource_pool"), master);
}

}  // namespace det::api
