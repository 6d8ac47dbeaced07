#include <set>
#include <string>

#include "api/access_check.h"
#include "api/allocations/accelerator.h"
#include "api/authenticator.h"
#include "api/cluster/prometheus_text.h"
#include "api/cluster/routes.h"

namespace det::api::routes {
namespace {

using Open = std::vector<store::OpenAllocation>;

constexpr std::string_view kMapping = "1";  // what relates two ids carries its information in the labels

void write_pods(PrometheusText& out, const Open& open) {
  out.family("det_container_id_allocation_id", "gauge", "Which allocation a container (here: a pod) belongs to.");
  for (const auto& allocation : open) {
    for (const auto& pod : allocation.resources) {
      out.sample({{"container_id", pod.pod_name}, {"allocation_id", allocation.id}}, kMapping);
    }
  }
  out.family("det_gpu_uuid_container_id", "gauge", "Which container (here: a pod) a GPU was given to.");
  for (const auto& allocation : open) {
    for (const auto& pod : allocation.resources) {
      for (const auto& uuid : accelerator_uuids(pod.accelerator)) {
        out.sample({{"gpu_uuid", uuid}, {"container_id", pod.pod_name}}, kMapping);
      }
    }
  }
}

void write_allocations(PrometheusText& out, const Open& open) {
  out.family("det_allocation_id_task_id", "gauge", "Which task an allocation is an attempt of.");
  for (const auto& each : open) out.sample({{"allocation_id", each.id}, {"task_id", each.task_id}}, kMapping);
  out.family("det_task_id_job_id", "gauge", "Which job a task belongs to.");
  for (const auto& each : open) out.sample({{"task_id", each.task_id}, {"job_id", each.job_id}}, kMapping);
  out.family("det_task_id_trial_id", "gauge", "Which trial a task trains.");
  for (const auto& each : open) {
    if (each.trial) out.sample({{"task_id", each.task_id}, {"trial_id", to_string(*each.trial)}}, kMapping);
  }
  out.family("det_allocation_slots", "gauge", "Slots that an allocation asked for.");
  for (const auto& each : open) out.sample({{"allocation_id", each.id}}, std::to_string(each.slots));
}

// An experiment has as many open allocations as trials that run: it is written once.
void write_experiments(PrometheusText& out, const Open& open) {
  out.family("det_job_id_experiment_id", "gauge", "Which experiment a job stands for.");
  std::set<model::ExperimentId> seen;
  for (const auto& each : open) {
    if (!each.experiment || !seen.insert(*each.experiment).second) continue;
    out.sample({{"job_id", each.job_id}, {"experiment_id", to_string(*each.experiment)}}, kMapping);
  }
  out.family("det_experiment_id_label", "gauge", "Labels of an experiment, one sample each.");
  seen.clear();
  for (const auto& each : open) {
    if (!each.experiment || !seen.insert(*each.experiment).second) continue;
    for (const auto& label : each.labels) {
      out.sample({{"experiment_id", to_string(*each.experiment)}, {"label", label}}, kMapping);
    }
  }
}

}  // namespace

// Which GPU, pod, allocation, task, job and experiment go together now, for joins with what exporters measure. Names
// and labels are people's, so it takes a token, unless the cluster's configuration opens it: Prometheus has none that
// lasts.
Task<Result<http::Response>> state_metrics(ApiServices& services, Call call) {
  if (!services.settings.master.open_state_metrics) {
    auto known = co_await services.authenticator.identify(call.request);
    DET_CO_TRY(known);
    // It names what there is in all workspaces.
    const auto caller = co_await with_grants(services, std::move(*known));
    DET_CO_TRY(caller);
    DET_CO_TRY(require(**caller, model::Permission::kViewClusterUsage));
  }
  const auto open = co_await services.stores.jobs.open_allocations();
  DET_CO_TRY(open);
  PrometheusText out;
  write_pods(out, *open);
  write_allocations(out, *open);
  write_experiments(out, *open);
  co_return std::move(out).response();
}

}  // namespace det::api::routes
