#include "local/kubeapi/core_rules.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "local/kubeapi/object_meta.h"
#include "local/names.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

bool is_core(const ResourceType& type, std::string_view plural) {
  return type.group.empty() && type.plural == plural;
}

void check_keys(const json& object, const char* field, bool is_base64, std::vector<FieldError>& errors) {
  for (const auto& [key, value] : get_object(object, field).items()) {
    const std::string path = std::string(field) + "[" + key + "]";
    for (const std::string& fault : data_key_faults(key)) errors.push_back(invalid_value(path, key, fault));
    // The value is not shown: it may be a secret.
    if (is_base64 && value.is_string() && !base64_decode(value.get_ref<const std::string&>())) {
      errors.push_back({path, "FieldValueInvalid", "Invalid value: the value is not base64; use stringData for text"});
    }
  }
}

void check_size(const json& object, std::vector<FieldError>& errors) {
  constexpr std::size_t kMaxData = 1024 * 1024;
  std::size_t size = 0;
  for (const char* field : {"data", "binaryData"}) {
    for (const auto& [key, value] : get_object(object, field).items()) {
      if (value.is_string()) size += key.size() + value.get_ref<const std::string&>().size();
    }
  }
  // base64 takes a third more than the bytes it stands for.
  if (size > kMaxData * 4 / 3) {
    errors.push_back({"", "FieldValueTooLong", "Too long: may not be more than 1048576 bytes"});
  }
}

void check_immutable(const json& object, const json& before, std::vector<FieldError>& errors) {
  if (!get_bool(before, "immutable")) return;
  for (const char* field : {"immutable", "data", "binaryData"}) {
    if (get_any(object, field) != get_any(before, field)) {
      errors.push_back(forbidden_field(field, "field is immutable when `immutable` is set"));
    }
  }
}

void check_micro_time(const json& spec, const char* field, std::vector<FieldError>& errors) {
  const json& value = get_any(spec, field);
  if (!value.is_string()) return;
  const auto& text = value.get_ref<const std::string&>();
  const auto time = parse_rfc3339(text);
  const auto dot = text.find('.');
  const bool has_micros = dot != std::string::npos && text.find_first_not_of("0123456789", dot + 1) == dot + 7;
  if (!time || !has_micros) {
    errors.push_back(invalid_value(std::string("spec.") + field, text,
                                   "cannot parse as a time with six fraction digits, 2006-01-02T15:04:05.000000Z"));
  }
}

void check_definition(const json& object, std::vector<FieldError>& errors) {
  const ResourceType type = read_definition(object, errors);
  if (type.group.find('.') == std::string::npos) {
    errors.push_back(invalid_value("spec.group", type.group, "should be a domain with at least one dot"));
  }
  // Otherwise a definition could take a built-in type's place.
  if (type.group == "k8s.io" || type.group.ends_with(".k8s.io") || type.group.ends_with(".kubernetes.io")) {
    errors.push_back(forbidden_field("spec.group", "the groups of Kubernetes itself cannot be defined here"));
  }
}

void complete_secret(json& secret) {
  if (!secret.contains("type")) secret["type"] = "Opaque";
  const json text = get_any(secret, "stringData");
  const json& data = get_any(secret, "data");
  const bool is_data = data.is_null() || data.is_object();
  const bool is_text =
      text.is_null() ||
      (text.is_object() && std::ranges::all_of(text, [](const json& value) { return value.is_string(); }));
  if (!is_data || !is_text) return;  // which the schema refuses
  secret.erase("stringData");
  if (text.is_null()) return;
  for (const auto& [key, value] : text.items())
    secret["data"][key] = base64_encode(value.get_ref<const std::string&>());
}

// What has another type than it should stays as it is: the schema refuses it.
json* object_at(json& owner, const char* name) {
  json& place = owner[name];
  if (place.is_null()) place = json::object();
  return place.is_object() ? &place : nullptr;
}

void complete_event(json& event) {
  if (!event.contains("type")) event["type"] = "Normal";
}

}  // namespace

void complete(const ResourceType& type, json& object) {
  if (type.is_custom) return;
  if (is_core(type, "pods")) complete_pod(object);
  if (is_core(type, "secrets")) complete_secret(object);
  if (is_core(type, "events")) complete_event(object);
  if (is_core(type, "namespaces")) {
    if (json* const labels = object_at(object["metadata"], "labels")) {
      (*labels)["kubernetes.io/metadata.name"] = name_of(object);
    }
    if (!object.contains("spec") || object["spec"].empty()) object["spec"] = {{"finalizers", {"kubernetes"}}};
  }
  if (is_core(type, "services")) {
    json* const spec = object_at(object, "spec");
    if (spec == nullptr) return;
    if (!spec->contains("type")) (*spec)["type"] = "ClusterIP";
    if ((*spec)["type"] == "ClusterIP" && !spec->contains("clusterIP")) (*spec)["clusterIP"] = "None";
  }
}

void begin_status(const ResourceType& type, json& object, WallTime now) {
  if (type.collection() == kDefinitions) {
    object["status"] = definition_status(object, now);
    return;
  }
  if (is_core(type, "nodes")) return;  // a node may bring its status
  if (type.has_status) object.erase("status");
  if (is_core(type, "pods")) begin_pod_status(object);
  if (is_core(type, "namespaces")) object["status"] = {{"phase", "Active"}};
  if (is_core(type, "services")) object["status"] = {{"loadBalancer", json::object()}};
}

void check_rules(const ResourceType& type, const json& object, const json* before, std::vector<FieldError>& errors) {
  if (type.is_custom) return;
  if (is_core(type, "pods")) check_pod(object, before, errors);
  if (is_core(type, "configmaps") || is_core(type, "secrets")) {
    check_keys(object, "data", type.plural == "secrets", errors);
    check_keys(object, "binaryData", true, errors);
    check_size(object, errors);
    if (before != nullptr) check_immutable(object, *before, errors);
  }
  if (is_core(type, "secrets") && before != nullptr && get_any(object, "type") != get_any(*before, "type")) {
    errors.push_back(invalid_value("type", get_any(object, "type"), "field is immutable"));
  }
  if (is_core(type, "events")) {
    const std::string about = get_string(get_object(object, "involvedObject"), "namespace");
    const std::string ns = namespace_of(object);
    if (about != ns && !(about.empty() && ns == "default")) {
      errors.push_back(invalid_value("involvedObject.namespace", about, "does not match event.namespace"));
    }
  }
  if (type.plural == "leases") {
    check_micro_time(get_object(object, "spec"), "renewTime", errors);
    check_micro_time(get_object(object, "spec"), "acquireTime", errors);
  }
  if (type.plural == "priorityclasses" && before != nullptr && get_any(object, "value") != get_any(*before, "value")) {
    errors.push_back(forbidden_field("value", "may not be changed in an update."));
  }
  if (type.collection() == kDefinitions) check_definition(object, errors);
}

json definition_status(const json& definition, WallTime now) {
  const json& spec = get_object(definition, "spec");
  const json& versions = get_array(spec, "versions");
  const std::string time = format_rfc3339_seconds(now);
  const auto condition = [&time](const char* type, const char* reason, const char* message) {
    return json{
        {"type", type}, {"status", "True"}, {"reason", reason}, {"message", message}, {"lastTransitionTime", time}};
  };
  json names = get_object(spec, "names");
  return {{"acceptedNames", std::move(names)},
          {"storedVersions", json::array({versions.empty() ? json("") : get_any(versions.front(), "name")})},
          {"conditions",
           json::array({condition("NamesAccepted", "NoConflicts", "no conflicts found"),
                        condition("Established", "InitialNamesAccepted", "the initial names have been accepted")})}};
}

}  // namespace det::local::kubeapi
