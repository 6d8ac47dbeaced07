#pragma once

// Every field that the metadata and spec of a pod can have (core/v1 of Kubernetes 1.36, tests/model/pod_fields), and
// what people may do with it: what stands here as allowed is allowed, everything else is not. A field of a later
// Kubernetes is unknown until somebody has decided about it. Constants; pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace det::model {

enum class FieldVerdict : std::uint8_t {
  kAllowed,  // what is in it may still have fields that are not
  kChecked,  // its value is held against a list of pod_policy (model/pod/pod_uses.h), or refused by
             // model/pod/pod_spec_check.h
  kRefused,  // with all that is in it, unless pod_policy.fields names it
  kUnknown,
};

// One field of a shape, which is Kubernetes' name of a type: "PodSpec", "Container".
struct PodField {
  FieldVerdict verdict = FieldVerdict::kUnknown;
  std::string_view shape;  // of the objects that it holds, alone, as a list or as a map; empty: of a value
};

inline constexpr std::string_view kPodShape = "Pod";  // metadata and spec

[[nodiscard]] PodField pod_field(std::string_view shape, std::string_view name);
// Why a field must not be used, or not with any value; empty for all that need no leave.
[[nodiscard]] std::string_view why_refused(std::string_view shape, std::string_view name);
// The field of the shape that was probably meant; empty: none is near.
[[nodiscard]] std::string_view nearest_field(std::string_view shape, std::string_view name);
// Of a path below a pod, with or without indices: "spec.containers[0].resources"; empty: of no object.
[[nodiscard]] std::string_view shape_at(std::string_view path);

struct PodFieldPath {
  std::string path;  // without indices: "spec.volumes.gitRepo.repository"
  FieldVerdict verdict = FieldVerdict::kUnknown;
};
// All fields that hold values, in their order; in a field that is refused everything is.
[[nodiscard]] std::vector<PodFieldPath> all_pod_fields();

}  // namespace det::model
