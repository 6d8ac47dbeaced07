// Pods: the defaults that people see in `kubectl get -o yaml`, and the mistakes that a real server refuses.

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "local/agent/pod_spec_view.h"
#include "local/kubeapi/core_rules.h"
#include "local/kubeapi/object_meta.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

void set_default(json& object, const char* key, json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

// Quantities are strings when they are read, also those that were written as numbers.
void normalise_quantities(json& resources, const char* field) {
  const auto map = resources.find(field);
  if (map == resources.end() || !map->is_object()) return;
  for (json& value : *map) {
    if (value.is_number()) value = value.dump();
  }
}

void complete_container(json& container) {
  if (!container.is_object()) return;
  const std::string image = get_string(container, "image");
  const bool is_latest = image.ends_with(":latest") || (image.find('@') == std::string::npos &&
                                                        image.find(':', image.rfind('/') + 1) == std::string::npos);
  set_default(container, "imagePullPolicy", is_latest ? "Always" : "IfNotPresent");
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  set_default(container, "resources", json::object());
  json& resources = container["resources"];
  if (!resources.is_object()) return;
  normalise_quantities(resources, "limits");
  normalise_quantities(resources, "requests");
  // What is limited and not requested is requested up to its limit.
  const json limits = get_object(resources, "limits");
  for (const auto& [name, value] : limits.items()) {
    json& requests = resources["requests"];
    if (!requests.is_object()) requests = json::object();
    set_default(requests, name.c_str(), value);
  }
  if (container.contains("ports") && container["ports"].is_array()) {
    for (json& port : container["ports"]) {
      if (port.is_object()) set_default(port, "protocol", "TCP");
    }
  }
}

// Guaranteed when every container limits cpu and memory to what it requests, BestEffort when none asks for any.
std::string quality_of_service(const json& spec) {
  bool asks = false;
  bool is_guaranteed = true;
  for (const char* field : {"containers", "initContainers"}) {
    for (const json& container : get_array(spec, field)) {
      const json& resources = get_object(container, "resources");
      const json& limits = get_object(resources, "limits");
      const json& requests = get_object(resources, "requests");
      for (const char* name : {"cpu", "memory"}) {
        asks = asks || limits.contains(name) || requests.contains(name);
        is_guaranteed = is_guaranteed && limits.contains(name) && get_any(limits, name) == get_any(requests, name);
      }
    }
  }
  if (!asks) return "BestEffort";
  return is_guaranteed ? "Guaranteed" : "Burstable";
}

class PodCheck {
 public:
  PodCheck(const json& pod, std::vector<FieldError>& errors) : spec_(get_object(pod, "spec")), errors_(errors) {}

  void run() {
    read_volumes();
    if (get_array(spec_, "containers").empty()) errors_.push_back(required("spec.containers"));
    check_containers("containers");
    check_containers("initContainers");
    if (!get_string(spec_, "nodeName").empty() && !get_array(spec_, "schedulingGates").empty()) {
      errors_.push_back(forbidden_field("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
    }
  }

 private:
  void read_volumes() {
    std::size_t place = 0;
    for (const json& volume : get_array(spec_, "volumes")) {
      const std::string path = "spec.volumes[" + std::to_string(place++) + "].name";
      const std::string name = get_string(volume, "name");
      if (name.empty()) errors_.push_back(required(path));
      if (!volumes_.insert(name).second) errors_.push_back(duplicate_value(path, name));
    }
  }
  void check_containers(const char* field) {
    std::size_t place = 0;
    for (const json& container : get_array(spec_, field)) {
      const std::string path = std::string("spec.") + field + "[" + std::to_string(place++) + "]";
      const std::string name = get_string(container, "name");
      if (name.empty()) {
        errors_.push_back(required(path + ".name"));
      } else if (!names_.insert(name).second) {
        errors_.push_back(duplicate_value(path + ".name", name));
      }
      if (get_string(container, "image").empty()) errors_.push_back(required(path + ".image"));
      check_env(container, path);
      check_mounts(container, path);
      check_resources(container, path);
    }
  }
  void check_env(const json& container, const std::string& path) {
    std::size_t place = 0;
    for (const json& variable : get_array(container, "env")) {
      const std::string where = path + ".env[" + std::to_string(place++) + "]";
      const std::string name = get_string(variable, "name");
      if (name.empty()) errors_.push_back(required(where + ".name"));
      if (variable.contains("value") && !get_string(variable, "value").empty() && variable.contains("valueFrom")) {
        errors_.push_back({where + ".valueFrom", "FieldValueInvalid",
                           "Invalid value: \"\": may not be specified when `value` is not empty"});
      }
    }
  }
  void check_mounts(const json& container, const std::string& path) {
    std::size_t place = 0;
    std::set<std::string> paths;
    for (const json& mount : get_array(container, "volumeMounts")) {
      const std::string where = path + ".volumeMounts[" + std::to_string(place++) + "]";
      const std::string name = get_string(mount, "name");
      const std::string target = get_string(mount, "mountPath");
      if (name.empty()) {
        errors_.push_back(required(where + ".name"));
      } else if (!volumes_.contains(name)) {
        errors_.push_back(not_found_value(where + ".name", name));
      }
      if (target.empty()) errors_.push_back(required(where + ".mountPath"));
      if (!paths.insert(target).second) {
        errors_.push_back(invalid_value(where + ".mountPath", target, "must be unique"));
      }
    }
  }
  void check_resources(const json& container, const std::string& path) {
    const json& resources = get_object(container, "resources");
    for (const char* field : {"limits", "requests"}) {
      for (const auto& [name, value] : get_object(resources, field).items()) {
        const std::string where = path + ".resources." + field + "[" + name + "]";
        const auto amount = value.is_string() ? parse_milli(value.get<std::string>()) : std::nullopt;
        if (!amount || *amount < 0) {
          errors_.push_back(invalid_value(where, value,
                                          "quantities must match the regular expression "
                                          "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' and not be negative"));
        }
      }
    }
    const json& limits = get_object(resources, "limits");
    for (const auto& [name, value] : get_object(resources, "requests").items()) {
      const json& limit = get_any(limits, name);
      if (!limit.is_string() || !value.is_string()) continue;
      const auto asked = parse_milli(value.get<std::string>());
      const auto allowed = parse_milli(limit.get<std::string>());
      if (asked && allowed && *asked > *allowed) {
        errors_.push_back(
            invalid_value(path + ".resources.requests", value,
                          "must be less than or equal to " + name + " limit of " + limit.get<std::string>()));
      }
    }
  }

  const json& spec_;
  std::vector<FieldError>& errors_;
  std::set<std::string> volumes_;
  std::set<std::string> names_;
};

// What may change in a pod's spec is taken out before the two are compared.
json unchangeable(json spec) {
  for (const char* field :
       {"activeDeadlineSeconds", "tolerations", "schedulingGates", "terminationGracePeriodSeconds"}) {
    spec.erase(field);
  }
  for (const char* field : {"containers", "initContainers"}) {
    if (!spec.contains(field) || !spec[field].is_array()) continue;
    for (json& container : spec[field]) {
      if (container.is_object()) container.erase("image");
    }
  }
  return spec;
}

void check_change(const json& pod, const json& before, std::vector<FieldError>& errors) {
  const json& spec = get_object(pod, "spec");
  const json& old = get_object(before, "spec");
  json changed = unchangeable(spec);
  json kept = unchangeable(old);
  const json& gates = get_array(old, "schedulingGates");
  for (const json& gate : get_array(spec, "schedulingGates")) {
    if (std::ranges::find(gates, gate) == gates.end()) {
      errors.push_back(forbidden_field(
          "spec.schedulingGates",
          "only deletion is allowed, but found new scheduling gate '" + get_string(gate, "name") + "'"));
    }
  }
  if (!gates.empty()) {  // a gated pod may be given a stricter place
    changed.erase("nodeSelector");
    kept.erase("nodeSelector");
    changed.erase("affinity");
    kept.erase("affinity");
  }
  if (changed == kept) return;
  errors.push_back(forbidden_field(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
      "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"));
}

}  // namespace

void complete_pod(json& pod) {
  json& spec = pod["spec"];
  if (!spec.is_object()) return;
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "securityContext", json::object());
  set_default(spec, "enableServiceLinks", true);
  set_default(spec, "preemptionPolicy", "PreemptLowerPriority");
  set_default(spec, "priority", 0);
  for (const char* field : {"containers", "initContainers"}) {
    if (!spec.contains(field) || !spec[field].is_array()) continue;
    for (json& container : spec[field]) complete_container(container);
  }
}

void begin_pod_status(json& pod) {
  json status = {{"phase", "Pending"}, {"qosClass", quality_of_service(get_object(pod, "spec"))}};
  if (!get_array(get_object(pod, "spec"), "schedulingGates").empty()) {
    status["conditions"] = json::array({{{"type", "PodScheduled"},
                                         {"status", "False"},
                                         {"reason", "SchedulingGated"},
                                         {"message", "Scheduling is blocked due to non-empty scheduling gates"}}});
  }
  pod["status"] = std::move(status);
}

void check_pod(const json& pod, const json* before, std::vector<FieldError>& errors) {
  if (!get_any(pod, "spec").is_object()) {
    errors.push_back(required("spec"));
    return;
  }
  // What an earlier version let in stays as it is: it must still be possible to end and to delete it.
  const json& spec = get_object(pod, "spec");
  if (before == nullptr || spec != get_object(*before, "spec")) {
    PodCheck(pod, errors).run();
    check_pod_names(spec, errors);
  }
  if (before != nullptr) check_change(pod, *before, errors);
}

}  // namespace det::local::kubeapi
