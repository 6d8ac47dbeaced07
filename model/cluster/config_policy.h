#pragma once

// What administrators fix (invariant_config) and limit (constraints) for everybody's workloads, in the whole cluster
// and in a workspace. The cluster's has the last word. Texts are those that Determined's clients know. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace det::model {

enum class WorkloadType : std::uint8_t {
  kExperiment,
  kNtsc,  // notebooks, tensorboards, shells, commands
};
[[nodiscard]] std::string_view to_string(WorkloadType type);  // "EXPERIMENT", "NTSC"
[[nodiscard]] std::optional<WorkloadType> parse_workload_type(std::string_view word);

struct PolicyConstraints {
  std::optional<std::int64_t> max_slots;
  std::optional<std::int64_t> priority_limit;  // the largest, which is the most urgent, that may be asked for

  bool operator==(const PolicyConstraints&) const = default;
};

struct ConfigPolicy {
  nlohmann::json invariant_config;  // part of an experiment configuration; null: none
  PolicyConstraints constraints;

  bool operator==(const ConfigPolicy&) const = default;
};

// All that counts for one workload.
struct ConfigPolicies {
  ConfigPolicy workspace;
  ConfigPolicy global;

  // The cluster's where it says something, else the workspace's.
  [[nodiscard]] PolicyConstraints constraints() const;
};

// Reads what an administrator wrote (YAML or JSON): {"invariant_config": {...}, "constraints": {"resources":
// {"max_slots": n}, "priority_limit": n}}, each optional. The result is the form to store. kInvalidArgument with all
// errors, also where the two contradict each other or the constraints of `global` (nullptr for the cluster's own).
[[nodiscard]] Result<nlohmann::json> parse_config_policy(WorkloadType type, std::string_view text,
                                                         const ConfigPolicy* global);
// The stored form, or {} for none.
[[nodiscard]] ConfigPolicy read_config_policy(const nlohmann::json& stored);

// Whether a complete configuration, of an experiment or of a task, keeps to the constraints; kInvalidArgument says
// which it does not.
[[nodiscard]] Status check_constraints(const ConfigPolicies& policies, const nlohmann::json& document);
// Whether a setting of an experiment that exists may become `value`: `name` is "max_slots", "weight", "priority" or
// "resource_pool" (others are free). kInvalidArgument says what forbids it.
[[nodiscard]] Status check_setting(const ConfigPolicies& policies, std::string_view name, const nlohmann::json& value);

}  // namespace det::model
