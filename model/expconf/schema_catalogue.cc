#include "model/expconf/schema_catalogue.h"

#include <algorithm>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "model/expconf/hyperparameters.h"
#include "model/expconf/sections.h"
#include "model/petname.h"

namespace det::model {
namespace {

using nlohmann::json;

void set_where_null(json& slot, json value) {
  if (slot.is_null()) slot = std::move(value);
}

void set_seed(json& reproducibility, const RuntimeDefaults& defaults) {
  set_where_null(reproducibility["experiment_seed"], defaults.experiment_seed);
}

constexpr Field object(const ObjectSchema& schema) {
  return {.type = Type::kObject, .object = &schema, .required = true};
}
constexpr Field list(const ObjectSchema& schema, MergeFn merge) {
  return {.type = Type::kList, .object = &schema, .required = true, .merge = merge};
}

constexpr Field kStorage = object(kCheckpointStorageSchema);
constexpr Field kSearcher = object(kSearcherSchema);
constexpr Field kParameter = {.null_is_value = true,
                              .check = check_hyperparameter,
                              .normalise = normalise_hyperparameter,
                              .merge = merge_hyperparameter};
constexpr Field kParameters = {.type = Type::kMap,
                               .required = true,
                               .check = check_hyperparameters,
                               .normalise = normalise_hyperparameters,
                               .merge = merge_hyperparameters};
constexpr Field kImage = {
    .object = &kImageMapSchema, .fallback = "{}", .check = check_image, .normalise = normalise_image};
constexpr Field kVariables = {.object = &kVariablesMapSchema,
                              .fallback = "{}",
                              .check = check_environment_variables,
                              .normalise = normalise_environment_variables,
                              .merge = merge_environment_variables};
constexpr Field kDevices = {.type = Type::kList,
                            .object = &kDeviceSchema,
                            .required = true,
                            .merge = merge_by_container_path,
                            .check_item = check_device,
                            .normalise_item = normalise_device};
constexpr Field kAction = {.check = check_log_action, .normalise = normalise_log_action};
constexpr Field kLogPolicies = {.type = Type::kList,
                                .object = &kLogPolicySchema,
                                .required = true,
                                .merge = merge_log_policies,
                                .complete = add_built_in_log_policies};

constexpr std::string_view kCancelRetries[] = {"cancel_retries"};
constexpr std::string_view kExcludeNode[] = {"exclude_node"};
constexpr Field kOldCancelRetries[] = {
    {.name = "type", .type = Type::kString, .words = kCancelRetries, .required = true}};
constexpr Field kOldExcludeNode[] = {{.name = "type", .type = Type::kString, .words = kExcludeNode, .required = true}};
constexpr ObjectSchema kOldCancelRetriesSchema = {.fields = kOldCancelRetries};
constexpr ObjectSchema kOldExcludeNodeSchema = {.fields = kOldExcludeNode};

constexpr NamedSchema kSchemas[] = {
    {.file = "azure.json", .value = kStorage, .member = "azure"},
    {.file = "bind-mount.json", .value = object(kBindMountSchema)},
    {.file = "bind-mounts.json", .value = list(kBindMountSchema, merge_by_container_path)},
    {.file = "check-grid-hyperparameter.json", .value = {.null_is_value = true, .check = check_grid_counts}},
    {.file = "check-positive-length.json", .value = object(kPositiveLengthSchema)},
    {.file = "checkpoint-storage.json", .value = kStorage},
    {.file = "device.json", .value = {.object = &kDeviceSchema, .check = check_device, .normalise = normalise_device}},
    {.file = "devices.json", .value = kDevices},
    {.file = "directory.json", .value = kStorage, .member = "directory"},
    {.file = "environment-image-map.json", .value = kImage, .narrow = &kImageMapSchema},
    {.file = "environment-image.json", .value = kImage},
    {.file = "environment-variables-map.json", .value = kVariables, .narrow = &kVariablesMapSchema},
    {.file = "environment-variables.json", .value = kVariables},
    {.file = "environment.json", .value = object(kEnvironmentSchema)},
    {.file = "experiment.json", .value = object(kExperimentSchema), .runtime = apply_runtime_defaults},
    {.file = "gcs.json", .value = kStorage, .member = "gcs"},
    {.file = "hpc-cluster-pbs.json", .value = object(kPbsSchema)},
    {.file = "hpc-cluster-slurm.json", .value = object(kSlurmSchema)},
    {.file = "hyperparameter-categorical.json", .value = kParameter, .narrow = &kCategoricalParameterSchema},
    {.file = "hyperparameter-const.json", .value = kParameter, .narrow = &kConstParameterSchema},
    {.file = "hyperparameter-double.json", .value = kParameter, .narrow = &kDoubleParameterSchema},
    {.file = "hyperparameter-int.json", .value = kParameter, .narrow = &kIntParameterSchema},
    {.file = "hyperparameter-log.json", .value = kParameter, .narrow = &kLogParameterSchema},
    {.file = "hyperparameter.json", .value = kParameter},
    {.file = "hyperparameters.json", .value = kParameters},
    {.file = "integrations.json", .value = object(kIntegrationsSchema)},
    {.file = "kerberos.json", .value = object(kKerberosSchema)},
    {.file = "length.json", .value = object(kLengthSchema)},
    {.file = "log-action.json", .value = kAction},
    {.file = "log-legacy-action-cancel-retries.json", .value = kAction, .narrow = &kOldCancelRetriesSchema},
    {.file = "log-legacy-action-exclude-node.json", .value = kAction, .narrow = &kOldExcludeNodeSchema},
    {.file = "log-policies.json", .value = kLogPolicies},
    {.file = "log-policy.json", .value = object(kLogPolicySchema)},
    {.file = "optimizations.json", .value = object(kOptimizationsSchema)},
    {.file = "pachyderm-dataset.json", .value = object(kPachydermDatasetSchema)},
    {.file = "pachyderm-pachd.json", .value = object(kPachydermPachdSchema)},
    {.file = "pachyderm-proxy.json", .value = object(kPachydermProxySchema)},
    {.file = "pachyderm.json", .value = object(kPachydermSchema)},
    {.file = "profiling.json", .value = object(kProfilingSchema)},
    {.file = "proxy-port.json", .value = object(kProxyPortSchema)},
    {.file = "proxy-ports.json", .value = list(kProxyPortSchema, merge_proxy_ports)},
    {.file = "registry-auth.json", .value = object(kRegistryAuthSchema)},
    {.file = "reproducibility.json", .value = object(kReproducibilitySchema), .runtime = set_seed},
    {.file = "resources.json", .value = object(kResourcesSchema)},
    {.file = "retention-policy.json", .value = object(kRetentionSchema)},
    {.file = "s3.json", .value = kStorage, .member = "s3"},
    {.file = "searcher-adaptive-asha.json", .value = kSearcher, .member = "adaptive_asha"},
    {.file = "searcher-adaptive-simple.json", .value = kSearcher, .member = "adaptive_simple"},
    {.file = "searcher-adaptive.json", .value = kSearcher, .member = "adaptive"},
    {.file = "searcher-async-halving.json", .value = kSearcher, .member = "async_halving"},
    {.file = "searcher-custom.json", .value = kSearcher, .member = "custom"},
    {.file = "searcher-grid.json", .value = kSearcher, .member = "grid"},
    {.file = "searcher-length.json", .value = {.check = check_searcher_length, .merge = take_ours}},
    {.file = "searcher-random.json", .value = kSearcher, .member = "random"},
    {.file = "searcher-single.json", .value = kSearcher, .member = "single"},
    {.file = "searcher-sync-halving.json", .value = kSearcher, .member = "sync_halving"},
    {.file = "searcher.json", .value = kSearcher},
    {.file = "security.json", .value = object(kSecuritySchema)},
    {.file = "shared-fs.json", .value = kStorage, .member = "shared_fs"},
    {.file = "tensorboard-storage.json",
     .value = {.type = Type::kMap, .required = true, .check = check_tensorboard_storage}},
    {.file = "webhooks.json", .value = object(kWebhooksSchema)},
};

constexpr std::string_view kUrlPrefix = "http://determined.ai/schemas/expconf/v0/";

// The value with the tag of the one variant it can be; reports one that says it is another.
json as_member(const NamedSchema& schema, json value, FieldErrors& errors) {
  if (schema.member.empty() || !value.is_object()) return value;
  json& tag = value[std::string(schema.value.object->tag)];
  if (!tag.is_null() && tag != schema.member) {
    add_field_error(errors, schema.value.object->tag, "value must be \"" + std::string(schema.member) + "\"");
  }
  tag = schema.member;
  return value;
}

// nullptr and errors when the value is not sane.
json read_sane(const NamedSchema& schema, const json& given, FieldErrors& errors) {
  json value = as_member(schema, given, errors);
  if (value.is_null() && schema.value.null_is_value && schema.narrow == nullptr) return value;
  if (schema.narrow != nullptr) {
    validate({.type = Type::kObject, .object = schema.narrow, .required = true}, value, "", errors);
  } else {
    validate(schema.value, value, "", errors);
  }
  return value;
}

}  // namespace

std::span<const NamedSchema> experiment_schemas() {
  return kSchemas;
}

Result<const NamedSchema*> find_schema(std::span<const NamedSchema> schemas, std::string_view url) {
  if (url.starts_with(kUrlPrefix)) {
    const auto it = std::ranges::find(schemas, url.substr(kUrlPrefix.size()), &NamedSchema::file);
    if (it != schemas.end()) return &*it;
  }
  return fail(ErrorCode::kNotFound, "there is no schema \"" + std::string(url) + "\"; they are called " +
                                        std::string(kUrlPrefix) + "NAME.json, such as experiment.json");
}

std::expected<json, FieldErrors> apply_schema(const NamedSchema& schema, SchemaOp op, const json& value,
                                              const json& source, const RuntimeDefaults& defaults) {
  FieldErrors errors;
  json ours = read_sane(schema, value, errors);
  json theirs = op == SchemaOp::kMerge ? read_sane(schema, source, errors) : json();
  if (op == SchemaOp::kCheckComplete) check_complete(schema.value, ours, "", errors);
  if (!errors.empty()) return std::unexpected(std::move(errors));
  if (op == SchemaOp::kCheckSane || op == SchemaOp::kCheckComplete) return value;
  normalise(schema.value, ours);
  if (op == SchemaOp::kMerge) {
    normalise(schema.value, theirs);
    json merged = merge(schema.value, ours, theirs);
    fill(schema.value, merged, Fill::kNulls);
    return merged;
  }
  fill(schema.value, ours, Fill::kDefaults);
  if (schema.runtime != nullptr) schema.runtime(ours, defaults);
  return ours;
}

void apply_runtime_defaults(json& experiment, const RuntimeDefaults& defaults) {
  set_where_null(experiment["name"], random_experiment_name(defaults.name_seed));
  set_seed(experiment["reproducibility"], defaults);
}

}  // namespace det::model
