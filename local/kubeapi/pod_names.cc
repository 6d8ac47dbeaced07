// The names in a pod's spec, as ValidatePodSpec of the real server checks them. Names of other objects are checked as
// well, which the real server leaves to whoever looks them up: ours ask for them by address.

#include <set>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "local/kubeapi/core_rules.h"
#include "local/names.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

std::string item(const std::string& path, std::size_t place) {
  return path + "[" + std::to_string(place) + "]";
}

class NameCheck {
 public:
  NameCheck(const json& spec, std::vector<FieldError>& errors) : spec_(spec), errors_(errors) {}

  void run() {
    check_place();
    std::size_t place = 0;
    for (const json& volume : get_array(spec_, "volumes")) {
      const std::string path = item("spec.volumes", place++);
      optional(volume, "name", path, dns_label_faults);  // that it is there is pod_rules.cc's concern
      check_source(volume, path);
    }
    for (const char* field : {"containers", "initContainers", "ephemeralContainers"}) {
      place = 0;
      ports_.clear();
      for (const json& container : get_array(spec_, field))
        check_container(container, item(std::string("spec.") + field, place++));
    }
  }

 private:
  using Rule = Faults (*)(std::string_view);

  void add(const std::string& path, const json& value, const Faults& faults) {
    for (const std::string& fault : faults) errors_.push_back(invalid_value(path, value, fault));
  }
  void optional(const json& object, const char* field, const std::string& path, Rule rule) {
    const std::string text = get_string(object, field);
    if (!text.empty()) add(path + "." + field, text, rule(text));
  }
  void needed(const json& object, const char* field, const std::string& path, Rule rule) {
    if (get_string(object, field).empty()) errors_.push_back(required(path + "." + field));
    optional(object, field, path, rule);
  }

  void check_place() {
    for (const char* field : {"hostname", "subdomain"}) optional(spec_, field, "spec", dns_label_faults);
    for (const char* field : {"nodeName", "serviceAccountName", "priorityClassName", "runtimeClassName"}) {
      optional(spec_, field, "spec", dns_subdomain_faults);
    }
    optional(spec_, "schedulerName", "spec", dns_subdomain_faults);
    for (const auto& [key, value] : get_object(spec_, "nodeSelector").items()) {
      add("spec.nodeSelector", key, qualified_name_faults(key));
      if (value.is_string()) add("spec.nodeSelector", value, label_value_faults(value.get<std::string>()));
    }
    std::size_t place = 0;
    for (const json& gate : get_array(spec_, "schedulingGates")) {
      needed(gate, "name", item("spec.schedulingGates", place++), qualified_name_faults);
    }
    place = 0;
    for (const json& secret : get_array(spec_, "imagePullSecrets")) {
      optional(secret, "name", item("spec.imagePullSecrets", place++), dns_subdomain_faults);
    }
  }

  // One volume, or one source of a projected volume: they share their fields' names, but for a secret's.
  void check_source(const json& source, const std::string& path) {
    if (source.contains("hostPath"))
      needed(get_object(source, "hostPath"), "path", path + ".hostPath", backstep_faults);
    if (source.contains("persistentVolumeClaim")) {
      needed(get_object(source, "persistentVolumeClaim"), "claimName", path + ".persistentVolumeClaim",
             dns_subdomain_faults);
    }
    for (const char* kind : {"configMap", "secret"}) {
      if (!source.contains(kind)) continue;
      const json& from = get_object(source, kind);
      const std::string where = path + "." + kind;
      for (const char* field : {"name", "secretName"}) optional(from, field, where, dns_subdomain_faults);
      std::size_t place = 0;
      for (const json& entry : get_array(from, "items")) {
        needed(entry, "key", item(where + ".items", place), data_key_faults);
        needed(entry, "path", item(where + ".items", place++), item_path_faults);
      }
    }
    if (source.contains("downwardAPI")) {
      std::size_t place = 0;
      for (const json& entry : get_array(get_object(source, "downwardAPI"), "items")) {
        needed(entry, "path", item(path + ".downwardAPI.items", place++), item_path_faults);
      }
    }
    if (source.contains("serviceAccountToken")) {
      needed(get_object(source, "serviceAccountToken"), "path", path + ".serviceAccountToken", item_path_faults);
    }
    if (!source.contains("projected")) return;
    std::size_t place = 0;
    for (const json& part : get_array(get_object(source, "projected"), "sources")) {
      check_source(part, item(path + ".projected.sources", place++));
    }
  }

  void check_container(const json& container, const std::string& path) {
    optional(container, "name", path, dns_label_faults);
    std::size_t place = 0;
    for (const json& port : get_array(container, "ports")) {
      const std::string where = item(path + ".ports", place++);
      const std::string name = get_string(port, "name");
      optional(port, "name", where, port_name_faults);
      if (!name.empty() && !ports_.insert(path + " " + name).second) {
        errors_.push_back(duplicate_value(where + ".name", name));
      }
    }
    place = 0;
    for (const json& mount : get_array(container, "volumeMounts")) {
      const std::string where = item(path + ".volumeMounts", place++);
      optional(mount, "subPath", where, inner_path_faults);
      optional(mount, "subPathExpr", where, inner_path_faults);
      if (!get_string(mount, "subPath").empty() && !get_string(mount, "subPathExpr").empty()) {
        errors_.push_back(invalid_value(where + ".subPathExpr", get_string(mount, "subPathExpr"),
                                        "subPathExpr and subPath are mutually exclusive"));
      }
    }
    check_env(container, path);
  }

  void check_env(const json& container, const std::string& path) {
    std::size_t place = 0;
    for (const json& variable : get_array(container, "env")) {
      const std::string where = item(path + ".env", place++);
      optional(variable, "name", where, env_name_faults);
      const json& from = get_object(variable, "valueFrom");
      for (const char* kind : {"configMapKeyRef", "secretKeyRef"}) {
        if (!from.contains(kind)) continue;
        optional(get_object(from, kind), "name", where + ".valueFrom." + kind, dns_subdomain_faults);
        needed(get_object(from, kind), "key", where + ".valueFrom." + kind, data_key_faults);
      }
    }
    place = 0;
    for (const json& from : get_array(container, "envFrom")) {
      const std::string where = item(path + ".envFrom", place++);
      optional(from, "prefix", where, env_name_faults);
      for (const char* kind : {"configMapRef", "secretRef"}) {
        if (from.contains(kind)) optional(get_object(from, kind), "name", where + "." + kind, dns_subdomain_faults);
      }
    }
  }

  const json& spec_;
  std::vector<FieldError>& errors_;
  std::set<std::string> ports_;
};

}  // namespace

void check_pod_names(const json& spec, std::vector<FieldError>& errors) {
  NameCheck(spec, errors).run();
}

}  // namespace det::local::kubeapi
