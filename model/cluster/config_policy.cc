#include "model/cluster/config_policy.h"

#include <initializer_list>
#include <string>

#include "base/json_get.h"
#include "base/json_reader.h"
#include "base/yaml.h"
#include "model/expconf/accept_config.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr const char* kInvariant = "invariant_config";
constexpr const char* kConstraints = "constraints";

std::string kind_of(WorkloadType type) {
  return type == WorkloadType::kNtsc ? "invalid ntsc config policy" : "invalid experiment config policy";
}

std::unexpected<Error> refuse(const std::string& message) {
  return fail(ErrorCode::kInvalidArgument, message);
}

PolicyConstraints read_constraints(JsonReader reader) {
  JsonReader resources = reader.object("resources");
  const PolicyConstraints constraints{.max_slots = resources.integer("max_slots", {.min = 0}),
                                      .priority_limit = reader.integer("priority_limit", {.min = 1, .max = 99})};
  resources.refuse_unknown_keys();
  reader.refuse_unknown_keys();
  return constraints;
}

std::optional<std::int64_t> fixed_number(const json& invariant, std::string_view name) {
  if (!invariant.is_object()) return std::nullopt;
  return whole_number(invariant.value(json::json_pointer("/resources/" + std::string(name)), json()));
}

// What the constraints would refuse of every experiment that has `invariant`; empty: nothing.
std::string conflict(const json& invariant, const PolicyConstraints& constraints) {
  const auto priority = fixed_number(invariant, "priority");
  if (priority && constraints.priority_limit && *priority != *constraints.priority_limit) {
    return "invariant config & constraints are trying to set the priority limit.";
  }
  if (!constraints.max_slots) return {};
  const auto max_slots = fixed_number(invariant, "max_slots");
  if (max_slots && *max_slots != *constraints.max_slots) {
    return "invariant config & constraints are trying to set the max slots.";
  }
  const auto slots = fixed_number(invariant, "slots_per_trial");
  if (slots && *slots > *constraints.max_slots) {
    return "invariant config has " + std::to_string(*slots) + " slots per trial. violates constraints max slots of " +
           std::to_string(*constraints.max_slots) + ".";
  }
  return {};
}

void check_invariant(const json& invariant, FieldErrors& errors) {
  for (Error& error : check_partial_config(invariant)) {
    const std::string field = error.field.empty() ? kInvariant : child_path(kInvariant, error.field);
    add_field_error(errors, field, std::move(error.message));
  }
  const json& slots = get_any(get_any(invariant, "resources"), "slots");
  if (!slots.is_null()) {
    add_field_error(errors, child_path(kInvariant, "resources"), R"(additionalProperties "slots" not allowed)");
  }
}

std::unexpected<Error> over_limit(const std::string& field, std::int64_t asked, std::int64_t limit,
                                  const std::string& kind) {
  return refuse("requested " + field + " [" + std::to_string(asked) + "] exceeds limit set by admin [" +
                std::to_string(limit) + "]: submitted workload failed " + kind + " constraint");
}

// What an administrator fixed, the cluster before the workspace.
json fixed(const ConfigPolicies& policies, std::string_view name, std::string_view section = "resources") {
  const json::json_pointer place("/" + std::string(section) + "/" + std::string(name));
  for (const ConfigPolicy* policy : {&policies.global, &policies.workspace}) {
    if (!policy->invariant_config.is_object()) continue;
    json value = policy->invariant_config.value(place, json());
    if (!value.is_null()) return value;
  }
  return {};
}

Status check_max_slots(const ConfigPolicies& policies, std::int64_t value) {
  const auto enforced = whole_number(fixed(policies, "max_slots"));
  if (enforced && *enforced != value) {
    return refuse("max slots is already set in an invariant config policy:max_slots of " + std::to_string(*enforced) +
                  " is enforced");
  }
  const auto limit = policies.constraints().max_slots;
  if (limit && value > *limit) {
    return refuse("requested slots is violates max slots constraint: " + std::to_string(value) + " > " +
                  std::to_string(*limit));
  }
  return {};
}

std::string text_of(const json& number) {
  const auto whole = whole_number(number);
  return whole ? std::to_string(*whole) : number_text(number.get<double>());
}

Status check_weight(const ConfigPolicies& policies, const json& value) {
  const json enforced = fixed(policies, "weight");
  if (!enforced.is_number() || enforced == value) return {};
  return refuse("cannot change experiment weight to " + text_of(value) +
                ": weight is enforced as an invariant config policy of " + text_of(enforced));
}

Status check_priority(const ConfigPolicies& policies, std::int64_t value) {
  const std::string doing = "cannot change experiment priority to " + std::to_string(value) + ": ";
  // What the policy says is always right, also for an experiment that is older than it.
  const auto enforced = whole_number(fixed(policies, "priority"));
  if (enforced && *enforced == value) return {};
  if (enforced) return refuse(doing + "priority set by invariant config: priority cannot be modified");
  const auto limit = policies.constraints().priority_limit;
  if (limit && value > *limit) return refuse(doing + "priority exceeds task config policy's priority_limit");
  return {};
}

Status check_pool_setting(const ConfigPolicies& policies, const json& value) {
  const json enforced = fixed(policies, "resource_pool");
  if (!enforced.is_string() || enforced == value) return {};
  return refuse("cannot change the resource pool: resource_pool is enforced as an invariant config policy of " +
                enforced.get<std::string>());
}

Status check_width(const ConfigPolicies& policies, const json& value) {
  const json enforced = fixed(policies, "max_concurrent_trials", "searcher");
  if (!enforced.is_number() || enforced == value) return {};
  return refuse("cannot change max_concurrent_trials to " + text_of(value) +
                ": max_concurrent_trials is enforced as an invariant config policy of " + text_of(enforced));
}

// Of checkpoint_storage, which limits no amount: only an invariant one says something.
Status check_save(const ConfigPolicies& policies, std::string_view name, const json& value) {
  for (const ConfigPolicy* policy : {&policies.global, &policies.workspace}) {
    const json& fixed = get_any(get_any(policy->invariant_config, "checkpoint_storage"), std::string(name).c_str());
    if (fixed.is_null() || fixed == value) continue;
    return fail(ErrorCode::kPermissionDenied,
                std::string(name) + " is enforced as an invariant config policy of " + fixed.dump(),
                "checkpoint_storage." + std::string(name));
  }
  return {};
}

}  // namespace

std::string_view to_string(WorkloadType type) {
  switch (type) {
    case WorkloadType::kExperiment:
      return "EXPERIMENT";
    case WorkloadType::kNtsc:
      return "NTSC";
  }
  return "";
}

std::optional<WorkloadType> parse_workload_type(std::string_view word) {
  for (const WorkloadType type : {WorkloadType::kExperiment, WorkloadType::kNtsc}) {
    if (word == to_string(type)) return type;
  }
  return std::nullopt;
}

PolicyConstraints ConfigPolicies::constraints() const {
  const PolicyConstraints& above = global.constraints;
  const PolicyConstraints& below = workspace.constraints;
  return {.max_slots = above.max_slots ? above.max_slots : below.max_slots,
          .priority_limit = above.priority_limit ? above.priority_limit : below.priority_limit};
}

Result<json> parse_config_policy(WorkloadType type, std::string_view text, const ConfigPolicy* global) {
  auto policy = parse_yaml(text);
  if (!policy) return std::unexpected(with_context(policy.error(), kind_of(type)));
  if (policy->is_null()) return refuse("no specified config policies");
  if (!policy->is_object()) {
    return refuse(kind_of(type) + ": expected a mapping with invariant_config or constraints, got " +
                  std::string(json_type_name(*policy)));
  }
  for (const char* part : {kInvariant, kConstraints}) {
    if (policy->value(part, json()).is_null()) policy->erase(part);
  }
  if (type == WorkloadType::kNtsc && policy->contains(kInvariant)) {
    return refuse(
        "not supported: invariant config policies for tasks is not yet supported, please remove \"invariant_config\" "
        "section and try again.");
  }
  FieldErrors errors;
  JsonReader reader(*policy, errors);
  const PolicyConstraints constraints = read_constraints(reader.object(kConstraints));
  const json* invariant = reader.any(kInvariant);
  reader.refuse_unknown_keys();
  if (invariant != nullptr) check_invariant(*invariant, errors);
  if (!errors.empty()) return std::unexpected(with_context(joined_error(errors, "<policy>"), kind_of(type)));
  if (invariant == nullptr) return policy;
  if (const std::string own = conflict(*invariant, constraints); !own.empty())
    return refuse(kind_of(type) + ": " + own);
  if (global == nullptr) return policy;
  if (const std::string above = conflict(*invariant, global->constraints); !above.empty()) {
    return refuse(kind_of(type) + ": workspace invariant_config conflicts with global constraints: " + above);
  }
  return policy;
}

ConfigPolicy read_config_policy(const json& stored) {
  FieldErrors ignored;  // it was checked when it was stored
  JsonReader reader(stored, ignored);
  ConfigPolicy policy{.invariant_config = nullptr, .constraints = read_constraints(reader.object(kConstraints))};
  if (const json* invariant = reader.any(kInvariant); invariant != nullptr) policy.invariant_config = *invariant;
  return policy;
}

Status check_constraints(const ConfigPolicies& policies, const json& document) {
  const PolicyConstraints limits = policies.constraints();
  if (limits.max_slots) {
    auto slots = fixed_number(document, "slots_per_trial");
    if (!slots) slots = fixed_number(document, "slots");
    if (slots && *slots > *limits.max_slots) {
      return over_limit("resources.slots", *slots, *limits.max_slots, "a resource");
    }
    const auto most = fixed_number(document, "max_slots");
    if (most && *most > *limits.max_slots) {
      return over_limit("resources.max_slots", *most, *limits.max_slots, "a resource");
    }
  }
  const auto priority = fixed_number(document, "priority");
  if (limits.priority_limit && priority && *priority > *limits.priority_limit) {
    return over_limit("priority", *priority, *limits.priority_limit, "priority");
  }
  return {};
}

Status check_setting(const ConfigPolicies& policies, std::string_view name, const json& value) {
  if (name == "weight" && value.is_number()) return check_weight(policies, value);
  if (name == "max_concurrent_trials" && value.is_number()) return check_width(policies, value);
  if (name == "resource_pool") return check_pool_setting(policies, value);
  const auto number = whole_number(value);
  if (name == "max_slots" && number) return check_max_slots(policies, *number);
  if (name == "priority" && number) return check_priority(policies, *number);
  if (name.starts_with("save_")) return check_save(policies, name, value);
  return {};
}

}  // namespace det::model
