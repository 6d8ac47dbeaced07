#pragma once

// Which nodes a pod may run on by their labels and names, and whose taints it bears: nodeSelector, required node
// affinity, the node affinity of volumes, tolerations. Same meaning as kube-scheduler's. Pure.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace det::scheduler {

using Labels = std::map<std::string, std::string>;

enum class SelectorOperator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt, kUnknown };

struct Requirement {
  std::string key;
  SelectorOperator op = SelectorOperator::kIn;
  std::vector<std::string> values;

  bool operator==(const Requirement&) const = default;
};

// All requirements of a term hold together.
struct SelectorTerm {
  std::vector<Requirement> labels;  // matchExpressions
  std::vector<Requirement> fields;  // matchFields; the only field there is: metadata.name

  bool operator==(const SelectorTerm&) const = default;
};

// One term is enough. No term: nothing matches.
using Terms = std::vector<SelectorTerm>;

struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  bool operator==(const Taint&) const = default;
};

struct Toleration {
  std::string key;  // empty with kExists: every taint
  bool exists = false;
  std::string value;
  std::string effect;  // empty: all

  bool operator==(const Toleration&) const = default;
};

// A label selector of a pod affinity term.
struct LabelSelector {
  Labels equal;
  std::vector<Requirement> expressions;
  bool is_absent = false;  // selects nothing; an empty selector selects everything

  bool operator==(const LabelSelector&) const = default;
};

[[nodiscard]] bool matches(const Requirement& requirement, const Labels& labels);
[[nodiscard]] bool matches(const Terms& terms, const Labels& labels, const std::string& node);
[[nodiscard]] bool matches(const LabelSelector& selector, const Labels& labels);
// Whether a pod with these tolerations may be put on a node with this taint; PreferNoSchedule never repels.
[[nodiscard]] bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint);

// What a nodeSelector and a required node affinity ask of a node's labels, for people: "gpu.nvidia.com/class in (A40,
// A100) and zone exists"; alternatives with "or". Empty when they ask for nothing.
[[nodiscard]] std::string wanted_labels(const Labels& node_selector, const Terms& affinity);

// From a NodeSelector ({nodeSelectorTerms: [...]}), a pod's tolerations, a LabelSelector.
[[nodiscard]] Terms read_terms(const nlohmann::json& node_selector);
[[nodiscard]] std::vector<Toleration> read_tolerations(const nlohmann::json& list);
[[nodiscard]] LabelSelector read_label_selector(const nlohmann::json& selector);
[[nodiscard]] Labels read_labels(const nlohmann::json& object);

}  // namespace det::scheduler
