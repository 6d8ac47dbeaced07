#pragma once

// The Experiment object that REST makes and edits: its form, and who owns which of its fields. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "wire/forms.h"

namespace det::api {

inline constexpr std::string_view kFieldManager = "det-api";
inline constexpr std::string_view kNonceAnnotation = "det-operator.dev/nonce";
inline constexpr std::string_view kClassAnnotation = "det-operator.dev/controller-class";

struct ExperimentObject {
  std::string name;
  std::string ns;
  std::string nonce;
  std::string controller_class;  // empty: none
  wire::Json config;             // as the user wrote it
  std::string template_name;     // empty: none
  std::string context_sha256;    // empty: no model code
  bool suspend = false;
  std::string deletion_policy = {};  // Keep or Delete; empty: not said
};
[[nodiscard]] wire::Json build_experiment(const ExperimentObject& object);

// `object`, which takes the place of `old`: with its labels, annotations, owners and the finalizers of others, and with
// template and context as they are written there, so that what is kept in a file can still be applied. What `object`
// has itself stays: an annotation, what else is in its spec.
[[nodiscard]] wire::Json take_over(wire::Json object, const wire::Json& old);

// "exp-7".
[[nodiscard]] std::string experiment_object_name(model::ExperimentId id);

// Who keeps `field` (dotted: "config.resources.priority") of the object's spec in step with a source of its own, by
// managedFields: Argo CD, Flux, a controller. Nothing when that is nobody, REST itself, this product (managers named
// det-*) or a person's kubectl (managers named kubectl*): what a person typed, a person may change here.
[[nodiscard]] std::optional<std::string> owner_of_spec_field(const wire::Json& object, std::string_view field);

}  // namespace det::api
