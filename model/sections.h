#pragma once

// The sections of the experiment configuration as tables, one file each (model/section_*.cc), and the rules they share.
// Constants; pure.

#include "model/schema.h"

namespace det::model {

extern const ObjectSchema kExperimentSchema;  // the whole configuration
extern const ObjectSchema kBindMountSchema;
extern const ObjectSchema kCheckpointStorageSchema;
extern const ObjectSchema kEnvironmentSchema;
extern const ObjectSchema kResourcesSchema;
extern const ObjectSchema kSearcherSchema;
extern const ObjectSchema kLogPolicySchema;
extern const ObjectSchema kLengthSchema;  // {"batches": n}, {"records": n} or {"epochs": n}
extern const ObjectSchema kRetentionSchema;
extern const ObjectSchema kReproducibilitySchema;
extern const ObjectSchema kProfilingSchema;
extern const ObjectSchema kOptimizationsSchema;
extern const ObjectSchema kIntegrationsSchema;
extern const ObjectSchema kSecuritySchema;
extern const ObjectSchema kSlurmSchema;
extern const ObjectSchema kPbsSchema;

// Environment variables ("K=V") and images may be one value for all slot types or one for each.
void normalise_image(nlohmann::json& value);
void normalise_environment_variables(nlohmann::json& value);
// "/dev/a:/dev/b:rw" -> an object.
void normalise_devices(nlohmann::json& value);

// ours, then those of theirs whose container_path is new.
[[nodiscard]] nlohmann::json merge_by_container_path(const nlohmann::json& ours, const nlohmann::json& theirs);
// ours, then those of theirs with a name (or, without one, an action and pattern) not seen yet.
[[nodiscard]] nlohmann::json merge_log_policies(const nlohmann::json& ours, const nlohmann::json& theirs);
// The two policies that every experiment has unless it names them itself.
[[nodiscard]] nlohmann::json built_in_log_policies();

}  // namespace det::model
