#include "local/kubeapi/object_meta.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "local/names.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxLabelPart = 63;
constexpr std::size_t kMaxAnnotations = 256 * 1024;

Faults name_faults(const ResourceType& type, std::string_view name) {
  if (type.group.empty() && type.plural == "namespaces") return dns_label_faults(name);
  if (type.group.empty() && type.plural == "services") return service_name_faults(name);
  return dns_subdomain_faults(name);
}

// What a name is generated from may end in what a whole name may not: five characters follow.
std::string masked(std::string base) {
  if (base.ends_with('-')) base.back() = 'a';
  return base;
}

void check_name(const ResourceType& type, const std::string& name, std::vector<FieldError>& errors) {
  if (name.empty()) {
    errors.push_back(required("metadata.name", "name or generateName is required"));
    return;
  }
  for (const std::string& fault : name_faults(type, name))
    errors.push_back(invalid_value("metadata.name", name, fault));
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
    std::string folded = key;
    // Annotations may be written in capitals, prefix included.
    if (!is_labels) std::ranges::transform(folded, folded.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const std::string& fault : qualified_name_faults(folded)) errors.push_back(invalid_value(path, key, fault));
    if (!value.is_string()) {
      errors.push_back(invalid_value(path + "." + key, value, "must be a string; quote it"));
      continue;
    }
    const auto& text = value.get_ref<const std::string&>();
    size += key.size() + text.size();
    if (!is_labels) continue;
    for (const std::string& fault : label_value_faults(text)) errors.push_back(invalid_value(path, text, fault));
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
  if (const std::string base = get_string(meta, "generateName"); !base.empty()) {
    for (const std::string& fault : name_faults(type, masked(base))) {
      errors.push_back(invalid_value("metadata.generateName", base, fault));
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
    const Faults faults = finalizer.is_string() ? qualified_name_faults(finalizer.get<std::string>())
                                                : Faults{"must be a string; quote it"};
    for (const std::string& fault : faults) errors.push_back(invalid_value("metadata.finalizers", finalizer, fault));
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
