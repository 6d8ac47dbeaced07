#include "scheduler/node_selector.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::scheduler {
namespace {

using nlohmann::json;

std::optional<std::int64_t> integer(const std::string& text) {
  std::int64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last || text.empty()) return std::nullopt;
  return number;
}

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

SelectorOperator operator_of(const std::string& word) {
  if (word == "In") return SelectorOperator::kIn;
  if (word == "NotIn") return SelectorOperator::kNotIn;
  if (word == "Exists") return SelectorOperator::kExists;
  if (word == "DoesNotExist") return SelectorOperator::kDoesNotExist;
  if (word == "Gt") return SelectorOperator::kGt;
  if (word == "Lt") return SelectorOperator::kLt;
  return SelectorOperator::kUnknown;
}

std::vector<Requirement> read_requirements(const json& list) {
  std::vector<Requirement> requirements;
  for (const json& entry : list) {
    Requirement requirement{.key = get_string(entry, "key"), .op = operator_of(get_string(entry, "operator"))};
    for (const json& value : get_array(entry, "values")) {
      if (value.is_string()) requirement.values.push_back(value.get<std::string>());
    }
    requirements.push_back(std::move(requirement));
  }
  return requirements;
}

bool compares(const Requirement& requirement, const std::string& value) {
  const auto have = integer(value);
  const auto limit = requirement.values.size() == 1 ? integer(requirement.values.front()) : std::nullopt;
  if (!have || !limit) return false;
  return requirement.op == SelectorOperator::kGt ? *have > *limit : *have < *limit;
}

bool matches_all(const SelectorTerm& term, const Labels& labels, const Labels& fields) {
  return std::ranges::all_of(term.labels, [&](const Requirement& each) { return matches(each, labels); }) &&
         std::ranges::all_of(term.fields, [&](const Requirement& each) { return matches(each, fields); });
}

std::string join(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string text_of(const Requirement& requirement) {
  const std::string values = " (" + join(requirement.values, ", ") + ")";
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return requirement.key + " in" + values;
    case SelectorOperator::kNotIn:
      return requirement.key + " not in" + values;
    case SelectorOperator::kExists:
      return requirement.key + " exists";
    case SelectorOperator::kDoesNotExist:
      return requirement.key + " does not exist";
    case SelectorOperator::kGt:
      return requirement.key + " >" + values;
    case SelectorOperator::kLt:
      return requirement.key + " <" + values;
    case SelectorOperator::kUnknown:
      break;
  }
  return requirement.key + " (an operator that is not known)";
}

}  // namespace

bool matches(const Requirement& requirement, const Labels& labels) {
  const auto label = labels.find(requirement.key);
  const bool exists = label != labels.end();
  switch (requirement.op) {
    case SelectorOperator::kIn:
      return exists && contains(requirement.values, label->second);
    case SelectorOperator::kNotIn:
      return !exists || !contains(requirement.values, label->second);
    case SelectorOperator::kExists:
      return exists;
    case SelectorOperator::kDoesNotExist:
      return !exists;
    case SelectorOperator::kGt:
    case SelectorOperator::kLt:
      return exists && compares(requirement, label->second);
    case SelectorOperator::kUnknown:
      return false;
  }
  return false;
}

bool matches(const Terms& terms, const Labels& labels, const std::string& node) {
  const Labels fields = {{"metadata.name", node}};
  return std::ranges::any_of(terms, [&](const SelectorTerm& term) {
    const bool is_empty = term.labels.empty() && term.fields.empty();
    return !is_empty && matches_all(term, labels, fields);
  });
}

bool matches(const LabelSelector& selector, const Labels& labels) {
  if (selector.is_absent) return false;
  for (const auto& [key, value] : selector.equal) {
    const auto label = labels.find(key);
    if (label == labels.end() || label->second != value) return false;
  }
  return std::ranges::all_of(selector.expressions, [&](const Requirement& each) { return matches(each, labels); });
}

bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return true;
  return std::ranges::any_of(tolerations, [&](const Toleration& each) {
    if (!each.effect.empty() && each.effect != taint.effect) return false;
    if (each.exists) return each.key.empty() || each.key == taint.key;
    return each.key == taint.key && each.value == taint.value;
  });
}

std::string wanted_labels(const Labels& node_selector, const Terms& affinity) {
  std::vector<std::string> all;
  for (const auto& [key, value] : node_selector) all.push_back(key + "=" + value);
  std::vector<std::string> alternatives;
  for (const SelectorTerm& term : affinity) {
    std::vector<std::string> parts;
    for (const Requirement& each : term.labels) parts.push_back(text_of(each));
    if (!parts.empty()) alternatives.push_back(join(parts, " and "));
  }
  if (!alternatives.empty()) {
    const std::string any = join(alternatives, " or ");
    all.push_back(alternatives.size() > 1 && !all.empty() ? "(" + any + ")" : any);
  }
  return join(all, " and ");
}

Terms read_terms(const json& node_selector) {
  Terms terms;
  for (const json& term : get_array(node_selector, "nodeSelectorTerms")) {
    terms.push_back({.labels = read_requirements(get_array(term, "matchExpressions")),
                     .fields = read_requirements(get_array(term, "matchFields"))});
  }
  return terms;
}

std::vector<Toleration> read_tolerations(const json& list) {
  std::vector<Toleration> tolerations;
  if (!list.is_array()) return tolerations;
  for (const json& entry : list) {
    tolerations.push_back({.key = get_string(entry, "key"),
                           .exists = get_string(entry, "operator") == "Exists",
                           .value = get_string(entry, "value"),
                           .effect = get_string(entry, "effect")});
  }
  return tolerations;
}

LabelSelector read_label_selector(const json& selector) {
  if (!selector.is_object()) return {.is_absent = true};
  return {.equal = read_labels(get_object(selector, "matchLabels")),
          .expressions = read_requirements(get_array(selector, "matchExpressions"))};
}

Labels read_labels(const json& object) {
  Labels labels;
  if (!object.is_object()) return labels;
  for (const auto& [key, value] : object.items()) {
    if (value.is_string()) labels.emplace(key, value.get<std::string>());
  }
  return labels;
}

}  // namespace det::scheduler
