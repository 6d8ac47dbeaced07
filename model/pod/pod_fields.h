#pragma once

// The fields of Kubernetes' Pod that a pod_spec may have, as tables: names of all fields of PodSpec, Container and
// Volume (core/v1 as of 1.36), types where a mistake is likely. Constants; pure.

#include "model/expconf/schema.h"

namespace det::model {

extern const ObjectSchema kPodSchema;
extern const ObjectSchema kContainerSchema;

// Defined in model/pod/pod_spec_check.cc; the tables name them.
void check_containers(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_other_containers(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_volume(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_quantity(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_quantities(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
[[nodiscard]] std::span<const Field> volume_sources();

}  // namespace det::model
