#include "model/expconf/config_readers.h"

#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using nlohmann::json;

json object_or_null(JsonReader& reader, std::string_view key) {
  const json* found = reader.any(key);
  return found != nullptr && found->is_object() && !found->empty() ? *found : json();
}

std::vector<ProxyPort> read_proxy_ports(JsonReader& environment) {
  std::vector<ProxyPort> ports;
  for (JsonReader& reader : environment.objects("proxy_ports")) {
    reader.require("proxy_port");
    ports.push_back({.port = static_cast<int>(reader.integer("proxy_port", {.min = 1, .max = 65535}).value_or(0)),
                     .proxy_tcp = reader.boolean("proxy_tcp").value_or(false),
                     .unauthenticated = reader.boolean("unauthenticated").value_or(false),
                     .is_default = reader.boolean("default_service_id").value_or(false)});
  }
  return ports;
}

}  // namespace

ResourcesConfig read_resources(JsonReader reader, std::string_view slots) {
  return {.slots_per_trial = reader.integer(slots, {.min = 0}).value_or(1),
          .is_single_node = reader.boolean("is_single_node").value_or(false),
          .max_slots = reader.integer("max_slots"),
          .weight = reader.number("weight").value_or(1),
          .priority = static_cast<int>(reader.integer("priority", {.min = 1, .max = 99}).value_or(50)),
          .resource_pool = reader.string("resource_pool").value_or(""),
          .shm_size_bytes = reader.integer("shm_size", {.min = 0})};
}

EnvironmentConfig read_environment(JsonReader reader) {
  JsonReader image = reader.object("image");
  JsonReader variables = reader.object("environment_variables");
  return {.image = {.cpu = image.string("cpu").value_or(""),
                    .cuda = image.string("cuda").value_or(""),
                    .rocm = image.string("rocm").value_or("")},
          .variables = {.cpu = variables.strings("cpu").value_or(std::vector<std::string>()),
                        .cuda = variables.strings("cuda").value_or(std::vector<std::string>()),
                        .rocm = variables.strings("rocm").value_or(std::vector<std::string>())},
          .force_pull_image = reader.boolean("force_pull_image").value_or(false),
          .pod_spec = object_or_null(reader, "pod_spec"),
          .registry_auth = object_or_null(reader, "registry_auth"),
          .proxy_ports = read_proxy_ports(reader)};
}

std::vector<BindMount> read_bind_mounts(JsonReader& root) {
  std::vector<BindMount> mounts;
  for (JsonReader& reader : root.objects("bind_mounts")) {
    mounts.push_back({.host_path = reader.string("host_path").value_or(""),
                      .container_path = reader.string("container_path").value_or(""),
                      .read_only = reader.boolean("read_only").value_or(false),
                      .propagation = reader.string("propagation").value_or("")});
  }
  return mounts;
}

}  // namespace det::model
