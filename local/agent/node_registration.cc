#include "local/agent/node_registration.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "local/agent/gpus.h"

namespace det::local {
namespace {

using nlohmann::json;

constexpr int kLeaseSeconds = 40;
constexpr int kMaxPods = 110;

std::string go_architecture() {
  utsname name{};
  ::uname(&name);
  const std::string machine = name.machine;
  if (machine == "x86_64") return "amd64";
  return machine == "aarch64" ? "arm64" : machine;
}

std::string kernel_release() {
  utsname name{};
  ::uname(&name);
  return name.release;
}

}  // namespace

NodeShape read_node_shape(const std::string& state_folder) {
  NodeShape shape;
  shape.host_cpus = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  shape.memory_bytes = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  std::error_code error;
  const auto space = std::filesystem::space(state_folder, error);
  if (!error) shape.disk_bytes = static_cast<std::int64_t>(space.available);
  return shape;
}

json node_object(const NodeFacts& node, const NodeShape& shape) {
  json labels{{"kubernetes.io/hostname", node.name},
              {"kubernetes.io/os", "linux"},
              {"kubernetes.io/arch", go_architecture()},
              {"det-operator.dev/cpu-slots", std::to_string(shape.slots)}};
  for (const auto& [key, value] : shape.labels) labels[key] = value;
  return {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", node.name}, {"labels", std::move(labels)}}}};
}

json node_status(const NodeFacts& node, const NodeShape& shape, bool ready, WallTime since, WallTime now) {
  json resources{{"cpu", std::to_string(std::max<std::int64_t>(shape.host_cpus, shape.slots))},
                 {"memory", std::to_string(shape.memory_bytes / 1024) + "Ki"},
                 {"ephemeral-storage", std::to_string(shape.disk_bytes / 1024) + "Ki"},
                 {"pods", std::to_string(kMaxPods)}};
  if (shape.gpus > 0) resources[std::string(kGpuResource)] = std::to_string(shape.gpus);
  json condition{{"type", "Ready"},
                 {"status", ready ? "True" : "False"},
                 {"reason", ready ? "NodeAgentReady" : "NodeAgentStopped"},
                 {"message", ready ? "the node agent runs pods" : "the node agent was stopped"},
                 {"lastHeartbeatTime", format_rfc3339_seconds(now)},
                 {"lastTransitionTime", format_rfc3339_seconds(since)}};
  return {{"capacity", resources},
          {"allocatable", resources},
          {"addresses", json::array({{{"type", "InternalIP"}, {"address", node.address}},
                                     {{"type", "Hostname"}, {"address", node.name}}})},
          {"daemonEndpoints", {{"kubeletEndpoint", {{"Port", shape.log_port}}}}},
          {"nodeInfo",
           {{"architecture", go_architecture()},
            {"operatingSystem", "linux"},
            {"containerRuntimeVersion", "bubblewrap://sandbox"},
            {"kubeletVersion", "v0.1.0-det-operator"},
            {"kubeProxyVersion", ""},
            {"kernelVersion", kernel_release()},
            {"osImage", ""},
            {"bootID", ""},
            {"machineID", ""},
            {"systemUUID", ""}}},
          {"conditions", json::array({std::move(condition)})}};
}

NodeRegistration::NodeRegistration(k8s::Client& client, Clock& clock, NodeFacts node, NodeShape shape)
    : client_(client),
      clock_(clock),
      node_(std::move(node)),
      shape_(std::move(shape)),
      log_(Logger("node-agent").with({"node", node_.name})),
      since_(clock.wall_now()) {}

Task<Status> NodeRegistration::announce() {
  json object = node_object(node_, shape_);
  json labels{{"metadata", {{"labels", object["metadata"]["labels"]}}}};
  const k8s::WriteOptions options;
  const auto made = co_await client_.create(k8s::nodes(), "", std::move(object), options);
  if (!made && made.error().code != ErrorCode::kAlreadyExists) {
    co_return std::unexpected(with_context(made.error(), "register node " + node_.name));
  }
  if (!made) {
    const k8s::PatchOptions merge;
    const auto changed = co_await client_.patch(k8s::nodes(), {"", node_.name}, std::move(labels), merge);
    if (!changed) co_return std::unexpected(with_context(changed.error(), "label node " + node_.name));
  }
  Status done = co_await renew_lease();
  if (done) done = co_await report(true);
  if (!done) co_return std::unexpected(with_context(done.error(), "report node " + node_.name));
  co_return done;
}

Task<void> NodeRegistration::run() {
  constexpr int kBeatsPerReport = 6;
  for (int beat = 1;; ++beat) {
    co_await clock_.sleep_for(std::chrono::seconds(10));
    const Status renewed = co_await renew_lease();
    if (!renewed) log_.warn("node lease was not renewed", {{"error", renewed.error().message}});
    if (beat % kBeatsPerReport != 0) continue;
    const Status reported = co_await report(true);
    if (!reported) log_.warn("node status was not accepted", {{"error", reported.error().message}});
  }
}

Task<Status> NodeRegistration::retire() {
  since_ = clock_.wall_now();
  co_return co_await report(false);
}

Task<Status> NodeRegistration::report(bool ready) {
  json patch{{"status", node_status(node_, shape_, ready, since_, clock_.wall_now())}};
  const k8s::PatchOptions options{k8s::PatchType::kStrategicMerge, "status", {}};
  const auto answer = co_await client_.patch(k8s::nodes(), {"", node_.name}, std::move(patch), options);
  DET_CO_TRY(answer);
  co_return Status();
}

Task<Status> NodeRegistration::renew_lease() {
  json spec{{"holderIdentity", node_.name},
            {"leaseDurationSeconds", kLeaseSeconds},
            {"renewTime", format_rfc3339_micros(clock_.wall_now())}};
  json patch{{"spec", spec}};
  const k8s::ObjectKey key{"kube-node-lease", node_.name};
  const k8s::PatchOptions merge;
  const auto renewed = co_await client_.patch(k8s::leases(), key, std::move(patch), merge);
  if (renewed) co_return Status();
  if (renewed.error().code != ErrorCode::kNotFound) co_return std::unexpected(renewed.error());
  json lease{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata", {{"name", key.name}, {"namespace", key.ns}}},
             {"spec", std::move(spec)}};
  const k8s::WriteOptions options;
  const auto made = co_await client_.create(k8s::leases(), key.ns, std::move(lease), options);
  DET_CO_TRY(made);
  co_return Status();
}

}  // namespace det::local
