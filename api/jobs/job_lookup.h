#pragma once

// Finds the experiment or the task that a job stands for. Belongs to the io thread.

#include <optional>
#include <string>

#include "api/call.h"
#include "store/cluster/job_store.h"
#include "store/experiments/experiment_rows.h"
#include "store/tasks/task_rows.h"

namespace det::api {

// One of both.
struct JobFound {
  std::optional<store::ExperimentRow> experiment;
  std::optional<store::TaskRow> task;
};

// By job id, by the experiment's number or the task's id, which people know. kNotFound, with the `field` that named it,
// also for one that the caller may not look at.
Task<Result<JobFound>> find_job(ApiServices& services, Identity caller, std::string job, std::string field);

[[nodiscard]] store::JobStore::JobOf job_of(const JobFound& job);
// Of an experiment or a task; the default one where it names none.
[[nodiscard]] std::string pool_of(const JobFound& job, const model::MasterConfig& master);

}  // namespace det::api
