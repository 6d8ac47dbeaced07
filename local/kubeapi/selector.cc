#include "local/kubeapi/selector.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// At commas outside parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    parts.push_back(trimmed(text.substr(start, i - start)));
    start = i + 1;
  }
  return parts;
}

bool is_key(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.' || c == '/';
  });
}

ApiError unreadable(std::string_view text) {
  return bad_request("unable to parse requirement: '" + std::string(text) + "' is not a label requirement");
}

const std::vector<std::string>& fields_of(const std::string& collection) {
  static const std::map<std::string, std::vector<std::string>> known = {
      {"pods",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",
        "status.phase", "status.podIP", "status.nominatedNodeName"}},
      {"nodes", {"spec.unschedulable"}},
      {"namespaces", {"status.phase"}},
      {"secrets", {"type"}},
      {"services", {"spec.clusterIP", "spec.type"}},
      {"events",
       {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
        "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
        "reportingComponent", "source", "type"}}};
  static const std::vector<std::string> none;
  const auto found = known.find(collection);
  return found == known.end() ? none : found->second;
}

bool is_offered(const ResourceType& type, const std::string& path) {
  if (path == "metadata.name" || (path == "metadata.namespace" && type.is_namespaced)) return true;
  if (std::ranges::find(type.selectable_fields, "." + path) != type.selectable_fields.end()) return true;
  if (type.is_custom) return false;
  return std::ranges::find(fields_of(type.collection()), path) != fields_of(type.collection()).end();
}

std::string value_at(const json& object, const std::string& path) {
  const json* at = &object;
  std::size_t start = 0;
  while (start <= path.size()) {
    const auto end = std::min(path.find('.', start), path.size());
    at = &get_any(*at, std::string_view(path).substr(start, end - start));
    start = end + 1;
  }
  if (path == "source" && at->is_object()) return get_string(*at, "component");
  if (at->is_string()) return at->get<std::string>();
  // Booleans that are not set are false to those who ask for them.
  const bool is_flag = path == "spec.unschedulable" || path == "spec.hostNetwork";
  if (at->is_null()) return is_flag ? "false" : "";
  return at->dump();
}

}  // namespace

ApiResult<LabelSelector> LabelSelector::parse(std::string_view text) {
  LabelSelector selector;
  if (trimmed(text).empty()) return selector;
  for (const std::string_view part : split(text)) {
    auto requirement = parse_one(part);
    DET_TRY(requirement);
    selector.requirements_.push_back(std::move(*requirement));
  }
  return selector;
}

ApiResult<LabelSelector::Requirement> LabelSelector::parse_one(std::string_view text) {
  Requirement out;
  const auto equals = text.find('=');
  if (text.ends_with(')')) {
    const auto open = text.find('(');
    if (open == std::string_view::npos) return std::unexpected(unreadable(text));
    const std::string_view head = trimmed(text.substr(0, open));
    const auto space = head.find(' ');
    const std::string_view word = space == std::string_view::npos ? "" : trimmed(head.substr(space));
    if (word != "in" && word != "notin") return std::unexpected(unreadable(text));
    out.key = trimmed(head.substr(0, space));
    out.op = word == "in" ? Operator::kIn : Operator::kNotIn;
    for (const auto value : split(text.substr(open + 1, text.size() - open - 2))) out.values.emplace_back(value);
  } else if (equals != std::string_view::npos) {
    const bool is_not = equals > 0 && text[equals - 1] == '!';
    const bool is_double = text.substr(equals).starts_with("==");
    out.key = trimmed(text.substr(0, is_not ? equals - 1 : equals));
    out.op = is_not ? Operator::kNotIn : Operator::kIn;
    const std::string_view value = trimmed(text.substr(equals + (is_double ? 2 : 1)));
    if (!value.empty() && !is_key(value)) return std::unexpected(unreadable(text));
    out.values.emplace_back(value);
  } else {
    const bool is_not = text.starts_with('!');
    out.key = trimmed(is_not ? text.substr(1) : text);
    out.op = is_not ? Operator::kNotExists : Operator::kExists;
  }
  if (!is_key(out.key)) return std::unexpected(unreadable(text));
  return out;
}

bool LabelSelector::matches(const json& object) const {
  if (requirements_.empty()) return true;
  const json& labels = get_object(get_object(object, "metadata"), "labels");
  return std::ranges::all_of(requirements_, [&labels](const Requirement& requirement) {
    const bool exists = labels.contains(requirement.key);
    const auto is_in = [&] {
      return exists &&
             std::ranges::find(requirement.values, get_string(labels, requirement.key)) != requirement.values.end();
    };
    switch (requirement.op) {
      case Operator::kIn:
        return is_in();
      case Operator::kNotIn:
        return !is_in();
      case Operator::kExists:
        return exists;
      case Operator::kNotExists:
        return !exists;
    }
    return false;
  });
}

ApiResult<FieldSelector> FieldSelector::parse(std::string_view text, const ResourceType& type) {
  FieldSelector selector;
  if (trimmed(text).empty()) return selector;
  for (const std::string_view part : split(text)) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return std::unexpected(bad_request("invalid selector: '" + std::string(part) + "'; can't understand it"));
    }
    const bool is_not = part[equals - 1] == '!';
    const bool is_double = part.substr(equals).starts_with("==");
    Requirement requirement{.path = std::string(trimmed(part.substr(0, is_not ? equals - 1 : equals))),
                            .value = std::string(trimmed(part.substr(equals + (is_double ? 2 : 1)))),
                            .is_equal = !is_not};
    if (!is_offered(type, requirement.path)) {
      return std::unexpected(bad_request("field label not supported: " + requirement.path));
    }
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

bool FieldSelector::matches(const json& object) const {
  return std::ranges::all_of(requirements_, [&object](const Requirement& requirement) {
    return (value_at(object, requirement.path) == requirement.value) == requirement.is_equal;
  });
}

}  // namespace det::local::kubeapi
