// The top level of the experiment configuration.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "model/expconf/hyperparameters.h"
#include "model/expconf/sections.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kCheckpointPolicies = {"best", "all", "none"};

void check_internal(const json& value, std::string_view path, FieldErrors& errors) {
  add_field_error(errors, path, expected_text("null", value));
}

// Labels are a set.
void normalise_labels(json& value) {
  std::set<std::string> labels;
  for (const json& label : value) labels.insert(label.get<std::string>());
  value = labels;
}

json merge_labels(const json& ours, const json& theirs) {
  json merged = ours;
  merged.insert(merged.end(), theirs.begin(), theirs.end());
  normalise_labels(merged);
  return merged;
}

void check_preemption_timeout(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.get<double>() < 0) add_field_error(errors, path, "must be >= 0 but found " + value.dump());
}

constexpr Field kFields[] = {
    {.name = "bind_mounts",
     .type = Type::kList,
     .object = &kBindMountSchema,
     .fallback = "[]",
     .merge = merge_by_container_path},
    {.name = "checkpoint_policy", .type = Type::kString, .words = kCheckpointPolicies, .fallback = R"("best")"},
    {.name = "checkpoint_storage", .type = Type::kObject, .object = &kCheckpointStorageSchema, .eventually = true},
    {.name = "data", .type = Type::kMap, .fallback = "{}"},
    {.name = "data_layer", .type = Type::kMap, .dropped = true},
    {.name = "debug", .type = Type::kBoolean, .fallback = "false"},
    {.name = "description", .type = Type::kString},
    {.name = "entrypoint", .check = check_entrypoint},
    {.name = "environment", .type = Type::kObject, .object = &kEnvironmentSchema, .fallback = "{}"},
    {.name = "hyperparameters",
     .type = Type::kMap,
     .fallback = "{}",
     .eventually = true,
     .check = check_hyperparameters,
     .check_runnable = check_hyperparameters_runnable,
     .normalise = normalise_hyperparameters,
     .merge = merge_hyperparameters},
    {.name = "integrations", .type = Type::kObject, .object = &kIntegrationsSchema},
    {.name = "internal", .dropped = true, .check = check_internal},
    {.name = "labels",
     .type = Type::kList,
     .element = Type::kString,
     .fallback = "[]",
     .normalise = normalise_labels,
     .merge = merge_labels},
    {.name = "log_policies",
     .type = Type::kList,
     .object = &kLogPolicySchema,
     .most_items = kMostLogPolicies,
     .fallback = "[]",
     .check_runnable = check_log_policy_names,
     .merge = merge_log_policies,
     .complete = add_built_in_log_policies},
    {.name = "max_restarts", .type = Type::kInteger, .minimum = 0, .fallback = "5"},
    {.name = "min_checkpoint_period",
     .type = Type::kObject,
     .object = &kLengthSchema,
     .fallback = R"({"batches":0})",
     .merge = take_ours},
    {.name = "min_validation_period",
     .type = Type::kObject,
     .object = &kLengthSchema,
     .fallback = R"({"batches":0})",
     .merge = take_ours},
    {.name = "name", .type = Type::kString, .eventually = true},
    {.name = "optimizations", .type = Type::kObject, .object = &kOptimizationsSchema, .fallback = "{}"},
    {.name = "pbs", .type = Type::kObject, .object = &kPbsSchema, .fallback = "{}"},
    {.name = "perform_initial_validation", .type = Type::kBoolean, .fallback = "false"},
    {.name = "preemption_timeout", .type = Type::kInteger, .check_runnable = check_preemption_timeout},
    {.name = "profiling", .type = Type::kObject, .object = &kProfilingSchema, .fallback = "{}"},
    {.name = "project", .type = Type::kString, .fallback = R"("")"},
    {.name = "records_per_epoch", .type = Type::kInteger, .fallback = "0"},
    {.name = "reproducibility",
     .type = Type::kObject,
     .object = &kReproducibilitySchema,
     .fallback = "{}",
     .eventually = true},
    {.name = "resources", .type = Type::kObject, .object = &kResourcesSchema, .fallback = "{}"},
    {.name = "retention_policy", .type = Type::kObject, .object = &kRetentionSchema, .omitted_when_null = true},
    {.name = "scheduling_unit", .type = Type::kInteger, .minimum = 1, .fallback = "100"},
    {.name = "searcher", .type = Type::kObject, .object = &kSearcherSchema, .eventually = true},
    {.name = "security", .type = Type::kObject, .object = &kSecuritySchema, .omitted_when_null = true},
    {.name = "slurm", .type = Type::kObject, .object = &kSlurmSchema, .fallback = "{}"},
    {.name = "tensorboard_storage", .type = Type::kMap, .omitted_when_null = true, .check = check_tensorboard_storage},
    {.name = "workspace", .type = Type::kString, .fallback = R"("")"},
};

// Upstream asks for counts also where no method is named, because its condition holds of nothing as well.
void check_grid(const json& value, std::string_view path, FieldErrors& errors) {
  const auto searcher = value.find("searcher");
  if (searcher != value.end() && searcher->is_object()) {
    const json name = searcher->value("name", json());
    if (!name.is_null() && name != "grid") return;
  }
  const auto parameters = value.find("hyperparameters");
  if (parameters != value.end()) check_grid_counts(*parameters, child_path(path, "hyperparameters"), errors);
}

}  // namespace

void check_entrypoint(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.is_string()) return;
  if (!value.is_array()) return add_field_error(errors, path, expected_text("string or array or null", value));
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!value[i].is_string()) add_field_error(errors, item_path(path, i), expected_text("string", value[i]));
  }
}

void check_grid_counts(const json& parameter, std::string_view path, FieldErrors& errors) {
  if (!parameter.is_structured()) return;
  const json type = parameter.is_object() ? parameter.value("type", json()) : json();
  if (type == "int" || type == "double" || type == "log") {
    if (!parameter.value("count", json()).is_null()) return;
    return add_field_error(errors, path, "grid search is in use but count was not provided");
  }
  if (parameter.is_object()) {
    for (const auto& [name, member] : parameter.items()) check_grid_counts(member, child_path(path, name), errors);
  } else {
    for (std::size_t i = 0; i < parameter.size(); ++i) check_grid_counts(parameter[i], item_path(path, i), errors);
  }
}

constinit const ObjectSchema kExperimentPartSchema = {.fields = kFields};
constinit const ObjectSchema kExperimentSchema = {.fields = kFields, .check = check_grid};

}  // namespace det::model
