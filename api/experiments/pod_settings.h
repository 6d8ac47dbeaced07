#pragma once

#include "api/services.h"
#include "pods/pod_builder.h"

namespace det::api {

// What the gate builds pods with. A copy: pools may come and go while it waits.
[[nodiscard]] inline pods::PodSettings pod_settings(const Settings& settings) {
  return {.task_url = settings.task_url,
          .cluster_id = settings.cluster.cluster_id,
          .harness_config_map = settings.harness_config_map,
          .controller_class = settings.controller_class,
          .master = settings.master};
}

}  // namespace det::api
