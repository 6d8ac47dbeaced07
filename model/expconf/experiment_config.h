#pragma once

// One experiment's configuration as code reads it. The frozen JSON document (row, object status hash,
// DET_EXPERIMENT_CONFIG) is the truth; this is a typed view of the parts that the control plane acts on. Pure values.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "model/cluster/master_config.h"

namespace det::model {

template <typename T>
struct PerSlotType {
  T cpu;
  T cuda;
  T rocm;

  [[nodiscard]] const T& of(SlotType type) const {
    switch (type) {
      case SlotType::kCuda:
        return cuda;
      case SlotType::kRocm:
        return rocm;
      case SlotType::kCpu:
        return cpu;
    }
    return cpu;
  }
  bool operator==(const PerSlotType&) const = default;
};

struct ResourcesConfig {
  std::int64_t slots_per_trial = 1;
  bool is_single_node = false;
  std::optional<std::int64_t> max_slots;  // over all trials of the experiment
  double weight = 1;
  int priority = 50;  // 1..99, higher goes first
  std::string resource_pool;
  std::optional<std::int64_t> shm_size_bytes;

  bool operator==(const ResourcesConfig&) const = default;
};

// A port of the first pod that the server lets people reach.
struct ProxyPort {
  int port = 0;
  bool proxy_tcp = false;        // bytes through a WebSocket, in place of HTTP
  bool unauthenticated = false;  // what listens there knows its people by itself
  bool is_default = false;       // default_service_id: the one without its number in the address

  bool operator==(const ProxyPort&) const = default;
};

struct EnvironmentConfig {
  PerSlotType<std::string> image;
  PerSlotType<std::vector<std::string>> variables;  // "K=V", the last of a name counts
  bool force_pull_image = false;
  nlohmann::json pod_spec;       // a Kubernetes object's fields, as the document has them; null: none
  nlohmann::json registry_auth;  // Docker's AuthConfig; null: none
  std::vector<ProxyPort> proxy_ports;

  bool operator==(const EnvironmentConfig&) const = default;
};

struct BindMount {
  std::string host_path;
  std::string container_path;  // relative: below the work directory
  bool read_only = false;
  std::string propagation;

  bool operator==(const BindMount&) const = default;
};

// The fields of all kinds of storage; `type` says which are set.
struct CheckpointStorageConfig {
  std::string type;  // shared_fs, directory, s3, gcs, azure
  std::string host_path;
  std::string storage_path;
  std::string container_path;
  std::string propagation;
  std::int64_t save_experiment_best = 0;
  std::int64_t save_trial_best = 1;
  std::int64_t save_trial_latest = 1;

  bool operator==(const CheckpointStorageConfig&) const = default;
};

// Which brackets an adaptive search has: all that stop early, the bolder half of them, or the boldest one.
enum class AdaptiveMode : std::uint8_t { kConservative, kStandard, kAggressive };

// How long a trial trains, as configurations before 0.38 say it.
struct TrainingLength {
  std::int64_t units = 0;
  std::string unit;  // "batches", "records", "epochs"; empty: a plain number

  bool operator==(const TrainingLength&) const = default;
};

// The fields of all kinds of searcher; `name` says which count.
struct SearcherConfig {
  std::string name;
  std::string metric;
  bool smaller_is_better = true;
  std::int64_t max_trials = 1;
  std::int64_t max_concurrent_trials = 16;  // 0: no limit
  std::int64_t num_rungs = 1;
  double divisor = 4;
  AdaptiveMode mode = AdaptiveMode::kStandard;
  std::int64_t max_rungs = 5;
  std::vector<std::int64_t> bracket_rungs;
  std::string time_metric;               // empty: not given
  std::optional<std::int64_t> max_time;  // in units of time_metric
  std::optional<TrainingLength> max_length;
  bool stop_once = false;
  std::optional<std::int64_t> source_trial_id;
  std::optional<std::string> source_checkpoint_uuid;

  bool operator==(const SearcherConfig&) const = default;
};

struct LogPolicy {
  std::string name;
  std::string pattern;  // empty: the policy is switched off
  std::string action;   // "", "cancel_retries" or "exclude_node"

  bool operator==(const LogPolicy&) const = default;
};

struct ExperimentConfig {
  std::string name;
  std::string description;
  std::vector<std::string> labels;
  std::string workspace;
  std::string project;
  bool debug = false;
  std::int64_t max_restarts = 5;
  std::chrono::seconds preemption_timeout{3600};
  std::uint32_t experiment_seed = 0;
  std::string checkpoint_policy;
  std::optional<int> log_retention_days;  // -1: for ever
  ResourcesConfig resources;
  EnvironmentConfig environment;
  SearcherConfig searcher;
  CheckpointStorageConfig checkpoint_storage;
  std::vector<BindMount> bind_mounts;
  std::vector<LogPolicy> log_policies;

  bool operator==(const ExperimentConfig&) const = default;
};

// Reads a complete document (model/expconf/accept_config.h makes them; rows hold them). kDataLoss when it is not one.
[[nodiscard]] Result<ExperimentConfig> read_experiment_config(const nlohmann::json& document);

// Reads a searcher section alone; what is absent has its default. kInvalidArgument, with the fields, when it is not
// one.
[[nodiscard]] Result<SearcherConfig> read_searcher_config(const nlohmann::json& section);

// SHA-256 of the canonical JSON (sorted keys, no white space) as hex: the same for equal documents, whatever their key
// order.
[[nodiscard]] std::string config_hash(const nlohmann::json& document);

}  // namespace det::model
