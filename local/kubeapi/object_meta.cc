#include "local/kubeapi/object_meta.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "k8sclient/json_get.h"

namespace det::local::kubeapi {
namespace {

using k8s::get_any;
using k8s::get_array;
using k8s::get_object;
using k8s::get_string;
using nlohmann::json;

constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxLabelPart = 63;
constexpr std::size_t kMaxAnnotations = 256 * 1024;

constexpr const char* kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr const char* kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr const char* kLabelValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr const char* kQualifiedName =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

bool is_lower(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_alphanumeric(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}

bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower(text.front()) && is_lower(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  while (true) {
    const auto dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_label_part(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabelPart && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_qualified(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return is_label_part(key);
  const auto prefix = key.substr(0, slash);
  return prefix.size() <= kMaxName && is_subdomain(prefix) && is_label_part(key.substr(slash + 1));
}

bool is_name_free(const ResourceType& type) {
  // Definitions of roles and the like have freer names; none of ours does.
  return type.group == "rbac.authorization.k8s.io";
}

void check_name(const ResourceType& type, const std::string& name, std::vector<FieldError>& errors) {
  if (name.empty()) {
    errors.push_back(required("metadata.name", "name or generateName is required"));
    return;
  }
  const bool is_label = type.group.empty() && (type.plural == "namespaces" || type.plural == "services");
  if (name.size() > (is_label ? kMaxLabelPart : kMaxName)) {
    errors.push_back(
        invalid_value("metadata.name", name,
                      "must be no more than " + std::to_string(is_label ? kMaxLabelPart : kMaxName) + " bytes"));
  } else if (is_label ? !is_dns_label(name) : !is_name_free(type) && !is_subdomain(name)) {
    errors.push_back(invalid_value("metadata.name", name, is_label ? kLabel : kSubdomain));
  }
}

// labels and annotations
void check_map(const json& meta, const char* field, bool is_labels, std::vector<FieldError>& errors) {
  const json& map = get_any(meta, field);
  const std::string path = std::string("metadata.") + field;
  if (map.is_null()) return;
  if (!map.is_object()) {
    errors.push_back(invalid_value(path, map.type_name(), "must be a map of strings"));
    return;
  }
  std::size_t size = 0;
  for (const auto& [key, value] : map.items()) {
    if (!is_qualified(key)) errors.push_back(invalid_value(path, key, kQualifiedName));
    if (!value.is_string()) {
      errors.push_back(invalid_value(path + "." + key, value, "must be a string; quote it"));
      continue;
    }
    const auto& text = value.get_ref<const std::string&>();
    size += key.size() + text.size();
    if (is_labels && !text.empty() && !is_label_part(text)) errors.push_back(invalid_value(path, text, kLabelValue));
  }
  if (!is_labels && size > kMaxAnnotations) {
    errors.push_back({path, "FieldValueTooLong", "Too long: may not be more than 262144 bytes"});
  }
}

void check_owners(const json& meta, std::vector<FieldError>& errors) {
  std::size_t place = 0;
  for (const json& owner : get_array(meta, "ownerReferences")) {
    const std::string path = "metadata.ownerReferences[" + std::to_string(place++) + "]";
    for (const char* field : {"apiVersion", "kind", "name", "uid"}) {
      if (get_string(owner, field).empty()) {
        errors.push_back(invalid_value(path + "." + field, "", std::string(field) + " must not be empty"));
      }
    }
  }
}

const std::set<std::string>& known_fields() {
  static const std::set<std::string> fields = {"name",
                                               "generateName",
                                               "namespace",
                                               "uid",
                                               "generation",
                                               "resourceVersion",
                                               "creationTimestamp",
                                               "deletionTimestamp",
                                               "labels",
                                               "annotations",
                                               "ownerReferences",
                                               "finalizers",
                                               "selfLink",
                                               "managedFields",
                                               "deletionGracePeriodSeconds"};
  return fields;
}

}  // namespace

std::vector<std::string> prune_meta(json& object) {
  std::vector<std::string> unknown;
  json& meta = object["metadata"];
  if (!meta.is_object()) meta = json::object();
  for (auto member = meta.begin(); member != meta.end();) {
    const bool is_known = known_fields().contains(member.key());
    if (!is_known) unknown.push_back("metadata." + member.key());
    const bool goes = !is_known || member->is_null() || member.key() == "managedFields" || member.key() == "selfLink";
    member = goes ? meta.erase(member) : std::next(member);
  }
  for (const char* field : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    if (meta.contains(field) && meta[field].empty()) meta.erase(field);
  }
  return unknown;
}

void check_meta(const ResourceType& type, const json& object, std::vector<FieldError>& errors) {
  const json& meta = meta_of(object);
  for (const char* field : {"name", "generateName", "namespace", "uid", "resourceVersion"}) {
    const json& value = get_any(meta, field);
    if (!value.is_null() && !value.is_string()) {
      errors.push_back(invalid_value(std::string("metadata.") + field, value, "must be a string; quote it"));
    }
  }
  check_name(type, get_string(meta, "name"), errors);
  check_map(meta, "labels", true, errors);
  check_map(meta, "annotations", false, errors);
  check_owners(meta, errors);
  for (const char* field : {"finalizers", "ownerReferences"}) {
    const json& list = get_any(meta, field);
    if (!list.is_null() && !list.is_array()) {
      errors.push_back(invalid_value(std::string("metadata.") + field, list.type_name(), "must be a list"));
    }
  }
  for (const json& finalizer : get_array(meta, "finalizers")) {
    const bool is_right = finalizer.is_string() && is_qualified(finalizer.get_ref<const std::string&>());
    if (!is_right) errors.push_back(invalid_value("metadata.finalizers", finalizer, kQualifiedName));
  }
}

std::string generate_name(std::string_view base) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kSuffix = 5;
  std::string name(base.substr(0, kMaxLabelPart - kSuffix));
  const std::string random = sha256_hex(random_token(16));
  for (std::size_t i = 0; i < kSuffix; ++i) {
    const int digit = std::stoi(random.substr(i * 4, 4), nullptr, 16);
    name += kAlphabet[static_cast<std::size_t>(digit) % kAlphabet.size()];
  }
  return name;
}

void keep_server_fields(const json& before, json& after) {
  const json& old = meta_of(before);
  json& meta = after["metadata"];
  for (const char* field : {"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp",
                            "deletionGracePeriodSeconds", "generation", "generateName", "resourceVersion"}) {
    const json& value = get_any(old, field);
    if (value.is_null()) {
      meta.erase(field);
    } else {
      meta[field] = value;
    }
  }
}

const json& meta_of(const json& object) {
  return get_object(object, "metadata");
}
std::string name_of(const json& object) {
  return get_string(meta_of(object), "name");
}
std::string namespace_of(const json& object) {
  return get_string(meta_of(object), "namespace");
}
std::string uid_of(const json& object) {
  return get_string(meta_of(object), "uid");
}
bool is_deleting(const json& object) {
  return meta_of(object).contains("deletionTimestamp");
}

std::vector<std::string> finalizers_of(const json& object) {
  std::vector<std::string> out;
  for (const json& finalizer : get_array(meta_of(object), "finalizers")) {
    if (finalizer.is_string()) out.push_back(finalizer.get<std::string>());
  }
  return out;
}

std::vector<std::string> owner_uids_of(const json& object) {
  std::vector<std::string> out;
  for (const json& owner : get_array(meta_of(object), "ownerReferences")) out.push_back(get_string(owner, "uid"));
  return out;
}

}  // namespace det::local::kubeapi
