// pod_spec and what lies below it: the first byte chooses a policy, a byte 1 divides two YAML documents.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/yaml.h"
#include "model/pod/pod_policy_check.h"
#include "model/pod/pod_spec_check.h"
#include "model/pod/pod_spec_merge.h"

// What is merged of two parts that nobody refuses is not refused either; nothing throws, whatever has the wrong type.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using nlohmann::json;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t middle = text.find('\x01');
  const auto ours = det::parse_yaml(text.substr(0, middle));
  if (!ours || !ours->is_object()) return 0;
  const auto below = det::parse_yaml(middle == std::string_view::npos ? "" : text.substr(middle + 1));
  det::model::PodPolicy policy;
  if (data[0] % 2 == 1) policy.host_paths = {"/data"}, policy.secrets = {"train-*"}, policy.fields = {"spec.hostname"};
  const json theirs = below && below->is_object() ? *below : json();
  det::FieldErrors errors;
  det::model::check_pod_spec(*ours, "pod_spec", errors);
  if (!errors.empty()) return 0;
  det::model::check_pod_spec_runnable(*ours, "pod_spec", errors);
  if (!errors.empty()) return 0;
  const json config = {{"environment", {{"pod_spec", *ours}}}};
  const json cluster = {{"environment", {{"pod_spec", theirs}}}};
  errors = det::model::check_pod_policy(config, cluster, policy);
  if (!errors.empty()) return 0;
  const json merged = det::model::merge_pod_spec(*ours, theirs);
  const json both = {{"environment", {{"pod_spec", merged}}}};
  if (!det::model::check_stored_pod(both, cluster, policy).empty() && theirs.is_null()) std::abort();
  return 0;
}
