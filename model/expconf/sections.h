#pragma once

// The sections of the experiment configuration as tables, one file each (model/section_*.cc), and the rules they share.
// Constants; pure.

#include "model/expconf/schema.h"

namespace det::model {

extern const ObjectSchema kExperimentSchema;      // the whole configuration
extern const ObjectSchema kExperimentPartSchema;  // a layer of it, such as a template
extern const ObjectSchema kBindMountSchema;
extern const ObjectSchema kCheckpointStorageSchema;
extern const ObjectSchema kEnvironmentSchema;
extern const ObjectSchema kImageMapSchema;      // one image for each slot type
extern const ObjectSchema kVariablesMapSchema;  // one list of "K=V" for each slot type
extern const ObjectSchema kProxyPortSchema;
extern const ObjectSchema kRegistryAuthSchema;
extern const ObjectSchema kResourcesSchema;
extern const ObjectSchema kTaskResourcesSchema;         // of notebooks, shells, commands and TensorBoards
extern const ObjectSchema kGenericTaskResourcesSchema;  // of generic tasks
extern const ObjectSchema kDeviceSchema;
extern const ObjectSchema kSearcherSchema;
extern const ObjectSchema kLogPolicySchema;
extern const ObjectSchema kLengthSchema;          // {"batches": n}, {"records": n} or {"epochs": n}
extern const ObjectSchema kPositiveLengthSchema;  // the same, at least 1
extern const ObjectSchema kRetentionSchema;
extern const ObjectSchema kReproducibilitySchema;
extern const ObjectSchema kProfilingSchema;
extern const ObjectSchema kOptimizationsSchema;
extern const ObjectSchema kIntegrationsSchema;
extern const ObjectSchema kWebhooksSchema;
extern const ObjectSchema kPachydermSchema;
extern const ObjectSchema kPachydermPachdSchema;
extern const ObjectSchema kPachydermProxySchema;
extern const ObjectSchema kPachydermDatasetSchema;
extern const ObjectSchema kSecuritySchema;
extern const ObjectSchema kKerberosSchema;
extern const ObjectSchema kSlurmSchema;
extern const ObjectSchema kPbsSchema;

// Checks of values that have more than one form. Each adds its errors at `path`.
void check_entrypoint(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_image(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_environment_variables(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_device(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_log_action(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_log_policy_names(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_searcher_length(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_tensorboard_storage(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
// A grid needs to know how many values of a range it tries; within lists too, as upstream has it.
void check_grid_counts(const nlohmann::json& hyperparameters, std::string_view path, FieldErrors& errors);
// Whether a search of today can run it: removed methods, and the pair that successive halving needs. `searcher` is
// sane.
void check_current_searcher(const nlohmann::json& searcher, std::string_view path, FieldErrors& errors);

// Short forms become long ones. Environment variables and images may be one value for all slot types or one for each;
// a device may be "/dev/a:/dev/b:rw"; the action of a log policy was once {"type": word}.
void normalise_image(nlohmann::json& value);
void normalise_environment_variables(nlohmann::json& value);
void normalise_device(nlohmann::json& value);
void normalise_log_action(nlohmann::json& value);

// ours, then those of theirs whose container_path is new.
[[nodiscard]] nlohmann::json merge_by_container_path(const nlohmann::json& ours, const nlohmann::json& theirs);
// Of one experiment: each is looked for in every line that it logs.
inline constexpr std::size_t kMostLogPolicies = 30;

// ours, then those of theirs with a name (or, without one, an action and pattern) not seen yet.
[[nodiscard]] nlohmann::json merge_log_policies(const nlohmann::json& ours, const nlohmann::json& theirs);
[[nodiscard]] nlohmann::json merge_environment_variables(const nlohmann::json& ours, const nlohmann::json& theirs);
[[nodiscard]] nlohmann::json merge_proxy_ports(const nlohmann::json& ours, const nlohmann::json& theirs);
// For what does not unite: a length has one unit.
[[nodiscard]] nlohmann::json take_ours(const nlohmann::json& ours, const nlohmann::json& theirs);

// The two policies that every experiment has unless it names them itself come last.
void add_built_in_log_policies(nlohmann::json& value);

}  // namespace det::model
