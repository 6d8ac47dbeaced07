// The columns of built-in types, as people know them from kubectl.

#include <functional>

#include "base/json_get.h"
#include "base/lower_case.h"
#include "local/kubeapi/object_meta.h"
#include "local/kubeapi/table.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

std::string or_none(std::string text) {
  return text.empty() ? "<none>" : text;
}

std::string age(const json& object, WallTime now) {
  return age_of(get_string(meta_of(object), "creationTimestamp"), now);
}

ColumnDefinition text(const char* name, int priority = 0) {
  return {.name = name,
          .type = "string",
          .format = std::string_view(name) == "Name" ? "name" : "",
          .description = {},
          .priority = priority};
}

// What the state of a container says, when it is not simply running.
std::string trouble_of(const json& status) {
  const json& state = get_object(status, "state");
  const std::string waiting = get_string(get_object(state, "waiting"), "reason");
  if (!waiting.empty()) return waiting;
  if (!state.contains("terminated")) return {};
  const json& ended = get_object(state, "terminated");
  const std::string reason = get_string(ended, "reason");
  if (!reason.empty()) return reason;
  if (const auto signal = get_integer(ended, "signal"); signal != 0) return "Signal:" + std::to_string(signal);
  return "ExitCode:" + std::to_string(get_integer(ended, "exitCode"));
}

std::string init_trouble(const json& pod) {
  const json& statuses = get_array(get_object(pod, "status"), "initContainerStatuses");
  std::size_t done = 0;
  for (const json& status : statuses) {
    const json& ended = get_object(get_object(status, "state"), "terminated");
    if (get_object(status, "state").contains("terminated") && get_integer(ended, "exitCode") == 0) {
      ++done;
      continue;
    }
    const std::string trouble = trouble_of(status);
    if (!trouble.empty() && trouble != "PodInitializing") return "Init:" + trouble;
    return "Init:" + std::to_string(done) + "/" + std::to_string(statuses.size());
  }
  return {};
}

std::string pod_status(const json& pod) {
  const json& status = get_object(pod, "status");
  std::string text_of = get_string(status, "reason");
  if (text_of.empty()) text_of = get_string(status, "phase");
  for (const json& condition : get_array(status, "conditions")) {
    const bool is_gated =
        get_string(condition, "type") == "PodScheduled" && get_string(condition, "reason") == "SchedulingGated";
    if (is_gated) text_of = "SchedulingGated";
  }
  bool is_running = false;
  if (const std::string init = init_trouble(pod); !init.empty()) {
    text_of = init;
  } else {
    for (const json& container : get_array(status, "containerStatuses")) {
      const std::string trouble = trouble_of(container);
      if (!trouble.empty()) text_of = trouble;
      is_running = is_running || get_object(container, "state").contains("running");
    }
    if (text_of == "Completed" && is_running) text_of = "Running";
  }
  if (is_deleting(pod)) return "Terminating";
  return text_of;
}

json pod_cells(const json& pod, WallTime now) {
  const json& status = get_object(pod, "status");
  const json& spec = get_object(pod, "spec");
  std::size_t ready = 0;
  std::int64_t restarts = 0;
  for (const json& container : get_array(status, "containerStatuses")) {
    if (get_bool(container, "ready")) ++ready;
    restarts += get_integer(container, "restartCount");
  }
  const std::string total = std::to_string(get_array(spec, "containers").size());
  return json::array({name_of(pod), std::to_string(ready) + "/" + total, pod_status(pod), std::to_string(restarts),
                      age(pod, now), or_none(get_string(status, "podIP")), or_none(get_string(spec, "nodeName")),
                      or_none(get_string(status, "nominatedNodeName")), "<none>"});
}

std::string address_of(const json& node, const char* type) {
  for (const json& address : get_array(get_object(node, "status"), "addresses")) {
    if (get_string(address, "type") == type) return get_string(address, "address");
  }
  return {};
}

json node_cells(const json& node, WallTime now) {
  const json& status = get_object(node, "status");
  const json& info = get_object(status, "nodeInfo");
  std::string state = "Unknown";
  for (const json& condition : get_array(status, "conditions")) {
    if (get_string(condition, "type") != "Ready") continue;
    state = get_string(condition, "status") == "True" ? "Ready" : "NotReady";
  }
  if (get_bool(get_object(node, "spec"), "unschedulable")) state += ",SchedulingDisabled";
  std::string roles;
  constexpr std::string_view kRole = "node-role.kubernetes.io/";
  for (const auto& [key, value] : get_object(meta_of(node), "labels").items()) {
    if (key.starts_with(kRole)) roles.append(roles.empty() ? "" : ",").append(key.substr(kRole.size()));
  }
  const auto known = [&info](const char* field) {
    const std::string value = get_string(info, field);
    return value.empty() ? std::string("<unknown>") : value;
  };
  return json::array({name_of(node), state, or_none(roles), age(node, now), get_string(info, "kubeletVersion"),
                      or_none(address_of(node, "InternalIP")), or_none(address_of(node, "ExternalIP")),
                      known("osImage"), known("kernelVersion"), known("containerRuntimeVersion")});
}

json event_cells(const json& event, WallTime now) {
  const json& about = get_object(event, "involvedObject");
  std::string first = get_string(event, "firstTimestamp");
  std::string last = get_string(event, "lastTimestamp");
  if (first.empty()) first = get_string(event, "eventTime");
  if (last.empty()) last = first;
  const std::string kind = lower_case(get_string(about, "kind"));
  std::string source = get_string(get_object(event, "source"), "component");
  if (source.empty()) source = get_string(event, "reportingComponent");
  if (const auto host = get_string(get_object(event, "source"), "host"); !host.empty()) source += ", " + host;
  const std::int64_t count = std::max<std::int64_t>(get_integer(event, "count"), 1);
  return json::array({age_of(last, now), get_string(event, "type"), get_string(event, "reason"),
                      kind + "/" + get_string(about, "name"), get_string(about, "fieldPath"), source,
                      get_string(event, "message"), age_of(first, now), count, name_of(event)});
}

json service_cells(const json& service, WallTime now) {
  const json& spec = get_object(service, "spec");
  std::string ports;
  for (const json& port : get_array(spec, "ports")) {
    std::string protocol = get_string(port, "protocol");
    if (protocol.empty()) protocol = "TCP";
    ports.append(ports.empty() ? "" : ",").append(std::to_string(get_integer(port, "port"))).append("/" + protocol);
  }
  return json::array({name_of(service), get_string(spec, "type"), or_none(get_string(spec, "clusterIP")), "<none>",
                      or_none(ports), age(service, now)});
}

struct CoreTable {
  std::vector<ColumnDefinition> columns;
  std::function<json(const json&, WallTime)> cells;
};

CoreTable core_table(const std::string& what) {
  if (what == "pods") {
    return {{text("Name"), text("Ready"), text("Status"), text("Restarts"), text("Age"), text("IP", 1), text("Node", 1),
             text("Nominated Node", 1), text("Readiness Gates", 1)},
            pod_cells};
  }
  if (what == "nodes") {
    return {{text("Name"), text("Status"), text("Roles"), text("Age"), text("Version"), text("Internal-IP", 1),
             text("External-IP", 1), text("OS-Image", 1), text("Kernel-Version", 1), text("Container-Runtime", 1)},
            node_cells};
  }
  if (what == "events") {
    return {{text("Last Seen"), text("Type"), text("Reason"), text("Object"), text("Subobject", 1), text("Source", 1),
             text("Message"), text("First Seen", 1), text("Count", 1), text("Name", 1)},
            event_cells};
  }
  if (what == "services") {
    return {{text("Name"), text("Type"), text("Cluster-IP"), text("External-IP"), text("Port(s)"), text("Age")},
            service_cells};
  }
  if (what == "namespaces") {
    return {
        {text("Name"), text("Status"), text("Age")}, [](const json& object, WallTime now) {
          return json::array({name_of(object), get_string(get_object(object, "status"), "phase"), age(object, now)});
        }};
  }
  if (what == "configmaps") {
    return {{text("Name"), text("Data"), text("Age")}, [](const json& object, WallTime now) {
              const auto count = get_object(object, "data").size() + get_object(object, "binaryData").size();
              return json::array({name_of(object), std::to_string(count), age(object, now)});
            }};
  }
  if (what == "secrets") {
    return {{text("Name"), text("Type"), text("Data"), text("Age")}, [](const json& object, WallTime now) {
              return json::array({name_of(object), get_string(object, "type"),
                                  std::to_string(get_object(object, "data").size()), age(object, now)});
            }};
  }
  if (what == "leases.coordination.k8s.io") {
    return {{text("Name"), text("Holder"), text("Age")}, [](const json& object, WallTime now) {
              return json::array(
                  {name_of(object), get_string(get_object(object, "spec"), "holderIdentity"), age(object, now)});
            }};
  }
  if (what == "priorityclasses.scheduling.k8s.io") {
    return {{text("Name"), text("Value"), text("Global-Default"), text("Age")}, [](const json& object, WallTime now) {
              return json::array(
                  {name_of(object), get_integer(object, "value"), get_bool(object, "globalDefault"), age(object, now)});
            }};
  }
  if (what == kDefinitions) {
    return {{text("Name"), text("Created At")}, [](const json& object, WallTime) {
              return json::array({name_of(object), get_string(meta_of(object), "creationTimestamp")});
            }};
  }
  return {};
}

}  // namespace

std::vector<ColumnDefinition> core_columns(const ResourceType& type) {
  return type.is_custom ? std::vector<ColumnDefinition>() : core_table(type.collection()).columns;
}

json core_cells(const ResourceType& type, const json& object, WallTime now) {
  if (type.is_custom) return json::array();
  const CoreTable table = core_table(type.collection());
  return table.cells ? table.cells(object, now) : json::array();
}

}  // namespace det::local::kubeapi
