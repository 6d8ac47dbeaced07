#include "tests/operator/trial/kubelet_orders.h"

#include <utility>

namespace det::op::test {
namespace {

using model::ExitClass;
using nlohmann::json;

constexpr const char* kMain = "determined-container";

std::string text(WallTime time) {
  return format_rfc3339_seconds(time);
}

json& condition(json& pod, const std::string& type) {
  json& list = pod["status"]["conditions"];
  for (json& one : list) {
    if (one["type"] == type) return one;
  }
  list.push_back({{"type", type}});
  return list.back();
}

void set_condition(json& pod, const std::string& type, bool is_true, WallTime now, const std::string& reason = {}) {
  json& one = condition(pod, type);
  one["status"] = is_true ? "True" : "False";
  one["lastTransitionTime"] = text(now);
  if (!reason.empty()) one["reason"] = reason;
}

json& container(json& pod, const char* list, const std::string& name) {
  for (json& one : pod["status"][list]) {
    if (one["name"] == name) return one;
  }
  pod["status"][list].push_back({{"name", name}});
  return pod["status"][list].back();
}

json ended(int code, const std::string& reason, WallTime now) {
  return {{"terminated", {{"exitCode", code}, {"reason", reason}, {"finishedAt", text(now)}}}};
}

bool is_running(json& pod) {
  return container(pod, "containerStatuses", kMain).value("state", json::object()).contains("running");
}

Step then(std::vector<Step> together) {
  return [together = std::move(together)](json& pod, WallTime now) {
    for (const Step& step : together) step(pod, now);
  };
}

Step nothing() {
  return [](json&, WallTime) {};
}

Step exits(int code, std::string reason = {}) {
  if (reason.empty()) reason = code == 0 ? "Completed" : "Error";
  return [=](json& pod, WallTime now) {
    container(pod, "containerStatuses", kMain)["state"] = ended(code, reason, now);
    set_condition(pod, "ContainersReady", false, now);
    set_condition(pod, "Ready", false, now);
  };
}

Step phase(std::string word, std::string reason = {}) {
  return [=](json& pod, WallTime) {
    pod["status"]["phase"] = word;
    if (!reason.empty()) pod["status"]["reason"] = reason;
  };
}

Step deleted(int grace) {
  return [=](json& pod, WallTime now) {
    pod["metadata"]["deletionTimestamp"] = text(now + std::chrono::seconds(grace));
    pod["metadata"]["deletionGracePeriodSeconds"] = grace;
  };
}

Step gone() {
  return [](json& pod, WallTime) { pod = nullptr; };
}

Step disrupted(std::string reason) {
  return [=](json& pod, WallTime now) { set_condition(pod, "DisruptionTarget", true, now, reason); };
}

Step silent() {
  return [](json& pod, WallTime now) { set_condition(pod, "Ready", false, now); };
}

Step heard_again() {
  return [](json& pod, WallTime now) { set_condition(pod, "Ready", true, now); };
}

Step readiness(bool is_ready) {
  return [=](json& pod, WallTime now) {
    set_condition(pod, "ContainersReady", is_ready, now);
    set_condition(pod, "Ready", is_ready, now);
  };
}

Step init_exits(int code) {
  return [=](json& pod, WallTime now) {
    container(pod, "initContainerStatuses", "prepare")["state"] = ended(code, "Error", now);
  };
}

Step init_runs() {
  return [](json& pod, WallTime now) {
    container(pod, "initContainerStatuses", "prepare")["state"] = {{"running", {{"startedAt", text(now)}}}};
  };
}

Step waits(std::string reason) {
  return [=](json& pod, WallTime now) {
    container(pod, "containerStatuses", kMain)["state"] = {{"waiting", {{"reason", reason}}}};
    pod["status"]["startTime"] = text(now);
  };
}

// A kubelet that never started the container has no time for its end.
Step unfinished() {
  return [](json& pod, WallTime) {
    container(pod, "containerStatuses", kMain)["state"]["terminated"]["finishedAt"] = nullptr;
  };
}

Step sidecar(std::string list, json state) {
  return [=](json& pod, WallTime) {
    const bool is_init = list == "initContainerStatuses";
    json& containers = pod["spec"][is_init ? "initContainers" : "containers"];
    bool known = false;
    for (const json& one : containers) known = known || one["name"] == "side";
    if (!known) {
      json spec = {{"name", "side"}};
      if (is_init) spec["restartPolicy"] = "Always";
      containers.push_back(spec);
    }
    container(pod, list.c_str(), "side")["state"] = state;
  };
}

Step sidecar_ends(std::string list, int code) {
  return [=](json& pod, WallTime now) { sidecar(list, ended(code, "Error", now))(pod, now); };
}

Step loses_status() {
  return [](json& pod, WallTime) { pod["status"] = {{"phase", "Pending"}}; };
}

Step grace_shortened(int from, int to) {
  return [=](json& pod, WallTime) {
    const auto due = parse_rfc3339(pod["metadata"]["deletionTimestamp"].get<std::string>());
    pod["metadata"]["deletionTimestamp"] = text(*due - std::chrono::seconds(from - to));
    pod["metadata"]["deletionGracePeriodSeconds"] = to;
  };
}

const json kSideRuns = {{"running", json::object()}};

std::vector<Order> of_programs() {
  const auto kUser = ExitClass::kUserError;
  return {
      {"exit 3, the phase follows", {exits(3), phase("Failed")}, kUser, "NonZeroExit"},
      {"exit 3 and the phase at once", {then({exits(3), phase("Failed")})}, kUser, "NonZeroExit"},
      {"exit 3, the phase never comes", {exits(3), nothing()}, kUser, "NonZeroExit"},
      {"exit 0, the phase follows", {exits(0), phase("Succeeded")}, ExitClass::kSuccess, "Completed"},
      {"exit 0, a sidecar stays",
       {sidecar("containerStatuses", kSideRuns), exits(0), nothing()},
       ExitClass::kSuccess,
       "Completed"},
      {"exit 3, a sidecar stays", {sidecar("containerStatuses", kSideRuns), exits(3), nothing()}, kUser, "NonZeroExit"},
      {"exit 0, then its init sidecar is stopped",
       {sidecar("initContainerStatuses", kSideRuns), exits(0), sidecar_ends("initContainerStatuses", 143),
        phase("Succeeded")},
       ExitClass::kSuccess,
       "Completed"},
      {"a sidecar fails, the program goes on",
       {sidecar("containerStatuses", kSideRuns), sidecar_ends("containerStatuses", 1), exits(0), phase("Failed")},
       ExitClass::kSuccess,
       "Completed"},
      {"out of memory", {exits(137, "OOMKilled"), phase("Failed")}, kUser, "OOMKilled"},
      {"a child out of memory, the program fails", {exits(1, "OOMKilled"), phase("Failed")}, kUser, "OOMKilled"},
      {"a child out of memory, the program goes on",
       {exits(0, "OOMKilled"), phase("Succeeded")},
       ExitClass::kSuccess,
       "Completed"},
      {"no such entrypoint", {exits(128, "StartError"), phase("Failed")}, kUser, "StartError"},
      {"an init container fails", {init_runs(), init_exits(1), phase("Failed")}, kUser, "InitFailed", true},
      {"an init container fails, then deleted",
       {init_runs(), init_exits(1), deleted(30), phase("Failed"), gone()},
       kUser,
       "InitFailed",
       true},
      {"activeDeadlineSeconds is over",
       {then({phase("Failed", "DeadlineExceeded"), exits(137)})},
       kUser,
       "DeadlineExceeded"},
      {"exit 3, then deleted by somebody", {exits(3), deleted(30), phase("Failed"), gone()}, kUser, "NonZeroExit"},
      {"exit 0, then deleted by somebody",
       {exits(0), deleted(30), phase("Succeeded"), gone()},
       ExitClass::kSuccess,
       "Completed"},
      {"exit 3, then drained",
       {exits(3), disrupted("EvictionByEvictionAPI"), deleted(30), phase("Failed"), gone()},
       kUser,
       "NonZeroExit"},
      {"exit 3, then its node goes away",
       {exits(3), then({disrupted("DeletionByPodGC"), phase("Failed")}), gone()},
       kUser,
       "NonZeroExit"},
      {"the kubelet restarts", {readiness(false), readiness(true), exits(3), phase("Failed")}, kUser, "NonZeroExit"},
      {"its node is not heard for a while", {silent(), heard_again(), exits(3), phase("Failed")}, kUser, "NonZeroExit"},
      {"the status is lost and comes back", {loses_status(), exits(3), phase("Failed")}, kUser, "NonZeroExit"},
      {"the phase is Unknown for a while",
       {phase("Unknown"), phase("Running"), exits(0), phase("Succeeded")},
       ExitClass::kSuccess,
       "Completed"},
  };
}

std::vector<Order> of_the_cluster() {
  const auto kInfra = ExitClass::kInfrastructure;
  return {
      {"deleted, exit 143", {deleted(30), exits(143), phase("Failed"), gone()}, kInfra, "PodDeleted"},
      {"deleted, the program exits 0", {deleted(30), exits(0), phase("Succeeded"), gone()}, kInfra, "PodDeleted"},
      {"deleted, the program exits 3", {deleted(30), exits(3), phase("Failed"), gone()}, kInfra, "PodDeleted"},
      {"deleted, preStop runs, exit 137",
       {deleted(60), nothing(), nothing(), exits(137), phase("Failed"), gone()},
       kInfra,
       "PodDeleted"},
      {"deleted, then with a shorter grace",
       {deleted(60), nothing(), grace_shortened(60, 1), exits(137), phase("Failed"), gone()},
       kInfra,
       "PodDeleted"},
      {"deleted by force", {gone()}, kInfra, "PodVanished"},
      {"deleted while it waited", {deleted(0), gone()}, kInfra, "PodVanished", true},
      {"deleted before it ran, and the kubelet says so",
       {deleted(30), then({exits(137, "ContainerStatusUnknown"), unfinished(), phase("Failed")}), gone()},
       kInfra,
       "PodDeleted",
       true},
      {"an init container is stopped by a deletion",
       {init_runs(), deleted(30), init_exits(143), phase("Failed"), gone()},
       kInfra,
       "PodDeleted",
       true},
      {"drained",
       {disrupted("EvictionByEvictionAPI"), deleted(30), exits(143), phase("Failed"), gone()},
       kInfra,
       "Disrupted"},
      {"preempted by the scheduler",
       {disrupted("PreemptionByScheduler"), deleted(30), exits(0), phase("Succeeded"), gone()},
       kInfra,
       "Disrupted"},
      {"its node falls silent and is tainted",
       {silent(), disrupted("DeletionByTaintManager"), deleted(30), nothing()},
       kInfra,
       "Disrupted"},
      {"its node is removed", {then({disrupted("DeletionByPodGC"), phase("Failed")}), gone()}, kInfra, "Disrupted"},
      {"evicted under pressure",
       {then({phase("Failed", "Evicted"), exits(137), disrupted("TerminationByKubelet")})},
       kInfra,
       "Evicted"},
      {"the node shuts down",
       {then({phase("Failed", "Terminated"), exits(143), disrupted("TerminationByKubelet")})},
       kInfra,
       "Terminated"},
      {"room for a critical pod", {then({phase("Failed", "Preempting"), exits(143)})}, kInfra, "Preempting"},
      {"OutOfcpu", {phase("Failed", "OutOfcpu")}, kInfra, "OutOfcpu", true},
      {"UnexpectedAdmissionError",
       {phase("Failed", "UnexpectedAdmissionError")},
       kInfra,
       "UnexpectedAdmissionError",
       true},
      {"NodeAffinity", {phase("Failed", "NodeAffinity")}, kInfra, "NodeAffinity", true},
      {"the node was restarted", {exits(255, "Unknown"), phase("Failed")}, kInfra, "StatusLost"},
      {"the container is not found any more",
       {exits(137, "ContainerStatusUnknown"), phase("Failed")},
       kInfra,
       "StatusLost"},
      {"failed without a word", {phase("Failed")}, kInfra, "NoExitCode", true},
      {"the image never comes", {waits("ErrImagePull"), waits("ImagePullBackOff")}, kInfra, "ImagePullBackOff", true},
      {"no such image name", {waits("InvalidImageName")}, ExitClass::kInvalidPod, "InvalidImageName", true},
  };
}

}  // namespace

json new_pod(int rank, bool is_pending, WallTime now) {
  json pod = {{"metadata",
               {{"name", "t-1-" + std::to_string(rank)},
                {"namespace", "ml"},
                {"creationTimestamp", text(now)},
                {"labels",
                 {{"det-operator.dev/trial", "t"},
                  {"det-operator.dev/run", "1"},
                  {"det-operator.dev/rank", std::to_string(rank)}}}}},
              {"spec", {{"nodeName", "node-" + std::to_string(rank)}, {"containers", {{{"name", kMain}}}}}},
              {"status", {{"phase", is_pending ? "Pending" : "Running"}, {"conditions", json::array()}}}};
  set_condition(pod, "PodScheduled", true, now);
  if (is_pending) return pod;
  container(pod, "containerStatuses", kMain)["state"] = {{"running", {{"startedAt", text(now)}}}};
  set_condition(pod, "ContainersReady", true, now);
  set_condition(pod, "Ready", true, now);
  return pod;
}

std::vector<Step> removal(json& pod, WallTime now, std::chrono::seconds grace) {
  deleted(static_cast<int>(grace.count()))(pod, now);
  std::vector<Step> steps;
  if (is_running(pod)) steps.push_back(exits(143));
  steps.push_back([](json& object, WallTime at) {
    for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
      for (json& one : object["status"][list]) {
        if (one["state"].contains("running")) one["state"] = ended(137, "Error", at);
      }
    }
    object["status"]["phase"] = "Failed";
  });
  steps.push_back(gone());
  return steps;
}

const std::vector<Order>& kubelet_orders() {
  static const std::vector<Order> kOrders = [] {
    std::vector<Order> orders = of_programs();
    for (Order& order : of_the_cluster()) orders.push_back(std::move(order));
    return orders;
  }();
  return kOrders;
}

}  // namespace det::op::test
