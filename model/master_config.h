#pragma once

// The cluster's configuration: the part of Determined's master.yaml that means something here. Keys that other
// deployments of it carry and that have no effect here are accepted with a warning, so that an existing file can be
// used as it is. Pure.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "base/result.h"
#include "model/scheduler_config.h"

namespace det::model {

// What one slot is, and so which resource a pod asks for.
enum class SlotType : std::uint8_t { kCuda, kRocm, kCpu };

struct MasterConfig {
  std::string cluster_name;
  SlotType slot_type = SlotType::kCuda;
  int max_slots_per_pod = 8;
  double cpu_per_slot = 1.0;      // slot_type cpu: CPUs a slot stands for
  std::string default_namespace;  // where REST creates experiments; empty: the operator's --namespace, else "default"
  std::string default_compute_pool = "default";
  std::string default_aux_pool = "default";
  nlohmann::json checkpoint_storage;       // object; what an experiment without checkpoint_storage gets
  nlohmann::json task_container_defaults;  // object; merged under every experiment
  nlohmann::json pool_defaults = nlohmann::json::object();  // the same of single resource pools, by pool name
  SchedulerConfig scheduler;
  std::string initial_user_password;  // secret; for admin and determined while theirs is blank; empty: leave it
  bool host_network_ports = false;    // pods share one network: each allocation gets ports of its own
};

struct MasterConfigResult {
  MasterConfig config;
  std::vector<std::string> warnings;  // one sentence each, for the log at start
};

// `yaml` is the parsed file (null: all defaults). kInvalidArgument lists every wrong field, one a line.
[[nodiscard]] Result<MasterConfigResult> read_master_config(const nlohmann::json& yaml);

// What model/accept_config.h takes as the cluster's defaults.
[[nodiscard]] nlohmann::json cluster_defaults(const MasterConfig& config);

[[nodiscard]] std::string_view to_string(SlotType type);  // "cuda", "rocm", "cpu"

}  // namespace det::model
