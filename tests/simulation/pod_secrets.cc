#include "tests/simulation/pod_secrets.h"

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "k8sclient/resource.h"

namespace det::simulation {

using nlohmann::json;

std::map<std::string, std::string> environment_of(const test::FakeApiServer& server, const json& pod) {
  const std::string ns = get_string(get_object(pod, "metadata"), "namespace");
  std::map<std::string, std::string> environment;
  for (const json& container : get_array(get_object(pod, "spec"), "containers")) {
    if (get_string(container, "name") != "determined-container") continue;
    for (const json& source : get_array(container, "envFrom")) {
      const std::string name = get_string(get_object(source, "secretRef"), "name");
      const json secret = server.find(k8s::secrets(), {.ns = ns, .name = name});
      for (const auto& [key, value] : get_object(secret, "data").items()) {
        environment[key] = base64_decode(value.get<std::string>()).value_or("");
      }
    }
    for (const json& volume : get_array(get_object(pod, "spec"), "volumes")) {
      const std::string name = get_string(get_object(volume, "secret"), "secretName");
      if (name.empty()) continue;
      const json secret = server.find(k8s::secrets(), {.ns = ns, .name = name});
      for (const auto& [file, value] : get_object(secret, "data").items()) {
        environment["file:" + file] = base64_decode(value.get<std::string>()).value_or("");
      }
    }
    for (const json& variable : get_array(container, "env")) {
      if (variable.contains("value")) environment[get_string(variable, "name")] = get_string(variable, "value");
    }
  }
  return environment;
}

bool lacks_secrets(const test::FakeApiServer& server, const json& pod) {
  const std::string ns = get_string(get_object(pod, "metadata"), "namespace");
  const auto is_missing = [&](const std::string& name) {
    return !name.empty() && server.find(k8s::secrets(), {.ns = ns, .name = name}).is_null();
  };
  const json& spec = get_object(pod, "spec");
  for (const json& volume : get_array(spec, "volumes")) {
    if (is_missing(get_string(get_object(volume, "secret"), "secretName"))) return true;
  }
  for (const json& container : get_array(spec, "containers")) {
    for (const json& source : get_array(container, "envFrom")) {
      if (is_missing(get_string(get_object(source, "secretRef"), "name"))) return true;
    }
  }
  return false;
}

}  // namespace det::simulation
