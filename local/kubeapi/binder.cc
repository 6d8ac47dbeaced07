#include "local/kubeapi/binder.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "base/json_get.h"
#include "base/quantity.h"
#include "local/kubeapi/object_meta.h"
#include "local/kubeapi/operations.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr const char* kScheduler = "default-scheduler";

void add_requests(const json& container, Amounts& sum) {
  for (const auto& [name, value] : get_object(get_object(container, "resources"), "requests").items()) {
    if (!value.is_string()) continue;
    if (const auto amount = parse_milli_clamped(value.get<std::string>())) sum[name] = sum_clamped(sum[name], *amount);
  }
}

bool is_over(const json& pod) {
  const std::string phase = get_string(get_object(pod, "status"), "phase");
  return phase == "Succeeded" || phase == "Failed";
}

const json& spec_of(const json& object) {
  return get_object(object, "spec");
}

bool is_waiting(const json& pod) {
  const json& spec = spec_of(pod);
  return get_string(spec, "nodeName").empty() && !is_deleting(pod) && !is_over(pod) &&
         get_array(spec, "schedulingGates").empty() && get_string(spec, "schedulerName") == kScheduler;
}

bool is_ready(const json& node) {
  const json& conditions = get_array(get_object(node, "status"), "conditions");
  return std::ranges::any_of(conditions, [](const json& condition) {
    return get_string(condition, "type") == "Ready" && get_string(condition, "status") == "True";
  });
}

bool tolerates(const json& pod, const json& taint) {
  const auto covers = [&taint](const json& toleration) {
    const std::string key = get_string(toleration, "key");
    const std::string effect = get_string(toleration, "effect");
    if (!effect.empty() && effect != get_string(taint, "effect")) return false;
    if (get_string(toleration, "operator") == "Exists") return key.empty() || key == get_string(taint, "key");
    return key == get_string(taint, "key") && get_string(toleration, "value") == get_string(taint, "value");
  };
  return std::ranges::any_of(get_array(spec_of(pod), "tolerations"), covers);
}

// A pod may be pinned to a node by its name (required node affinity on the field metadata.name, as DaemonSets do it).
bool is_pinned_elsewhere(const json& pod, const std::string& node) {
  const json& affinity = get_object(get_object(spec_of(pod), "affinity"), "nodeAffinity");
  const json& terms =
      get_array(get_object(affinity, "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms");
  const auto excludes = [&node](const json& term) {
    return std::ranges::any_of(get_array(term, "matchFields"), [&node](const json& field) {
      const json& names = get_array(field, "values");
      return get_string(field, "key") == "metadata.name" && get_string(field, "operator") == "In" &&
             std::ranges::find(names, json(node)) == names.end();
    });
  };
  return !terms.empty() && std::ranges::all_of(terms, excludes);
}

// Why the node is out of the question, or nothing.
std::string objection(const json& pod, const json& node) {
  if (get_bool(spec_of(node), "unschedulable")) return "node(s) were unschedulable";
  if (!is_ready(node)) return "node(s) were not ready";
  for (const json& taint : get_array(spec_of(node), "taints")) {
    const std::string effect = get_string(taint, "effect");
    const bool repels = effect == "NoSchedule" || effect == "NoExecute";
    if (repels && !tolerates(pod, taint)) {
      const std::string value = get_string(taint, "value");
      return "node(s) had untolerated taint {" + get_string(taint, "key") + ": " + value + "}";
    }
  }
  const json& labels = get_object(meta_of(node), "labels");
  for (const auto& [key, value] : get_object(spec_of(pod), "nodeSelector").items()) {
    if (get_any(labels, key) != value) return "node(s) didn't match Pod's node affinity/selector";
  }
  if (is_pinned_elsewhere(pod, name_of(node))) return "node(s) didn't match Pod's node affinity/selector";
  return {};
}

Amounts allocatable_of(const json& node) {
  Amounts amounts;
  const json& status = get_object(node, "status");
  const json& offered =
      status.contains("allocatable") ? get_object(status, "allocatable") : get_object(status, "capacity");
  for (const auto& [name, value] : offered.items()) {
    const auto amount = parse_milli(value.is_string() ? value.get<std::string>() : value.dump());
    if (amount) amounts[name] = *amount;
  }
  return amounts;
}

void take(Amounts& free, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) free[name] = difference_clamped(free[name], amount);
}

std::vector<NodeRoom> rooms(const Staging& staging, const std::vector<ObjectRef>& nodes) {
  std::vector<NodeRoom> out;
  std::map<std::string, std::size_t> place;
  for (const ObjectRef& node : nodes) {
    place[name_of(node->value)] = out.size();
    out.push_back({name_of(node->value), allocatable_of(node->value), &node->value});
  }
  for (const ObjectRef& pod : staging.list("pods", "")) {
    const auto node = place.find(get_string(spec_of(pod->value), "nodeName"));
    if (node != place.end() && !is_over(pod->value)) take(out[node->second].free, requests_of(pod->value));
  }
  return out;
}

void tell(Staging& staging, const json& pod, const char* type, const char* reason, const std::string& message) {
  const std::string ns = namespace_of(pod);
  const std::string time = format_rfc3339_seconds(staging.now());
  const std::string name = name_of(pod) + "." + uuid_v4().substr(0, 8);
  json event = {
      {"apiVersion", "v1"},
      {"kind", "Event"},
      {"metadata", {{"name", name}, {"namespace", ns}, {"uid", uuid_v4()}, {"creationTimestamp", time}}},
      {"involvedObject",
       {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", name_of(pod)}, {"namespace", ns}, {"uid", uid_of(pod)}}},
      {"reason", reason},
      {"message", message},
      {"type", type},
      {"count", 1},
      {"firstTimestamp", time},
      {"lastTimestamp", time},
      {"source", {{"component", kScheduler}}},
      {"reportingComponent", kScheduler},
      {"reportingInstance", ""}};
  staging.put({.collection = "events", .ns = ns, .name = name}, std::move(event));
}

// The condition that says why; nothing is written when it says so already.
void explain(Staging& staging, const Place& place, const json& pod, const std::string& why) {
  json changed = pod;
  json& conditions = changed["status"]["conditions"];
  if (!conditions.is_array()) conditions = json::array();
  auto known = std::ranges::find_if(conditions, [](const json& c) { return get_string(c, "type") == "PodScheduled"; });
  if (known != conditions.end() && get_string(*known, "message") == why) return;
  json condition = {{"type", "PodScheduled"},    {"status", "False"},
                    {"reason", "Unschedulable"}, {"message", why},
                    {"lastProbeTime", nullptr},  {"lastTransitionTime", format_rfc3339_seconds(staging.now())}};
  if (known == conditions.end()) {
    conditions.push_back(std::move(condition));
  } else {
    *known = std::move(condition);
  }
  staging.put(place, std::move(changed));
  tell(staging, pod, "Warning", "FailedScheduling", why);
}

}  // namespace

Amounts requests_of(const json& pod) {
  Amounts sum;
  for (const json& container : get_array(spec_of(pod), "containers")) add_requests(container, sum);
  for (const json& container : get_array(spec_of(pod), "initContainers")) {
    Amounts alone;
    add_requests(container, alone);
    for (const auto& [name, amount] : alone) sum[name] = std::max(sum[name], amount);
  }
  sum["pods"] = 1000;
  return sum;
}

Placement place_pod(const json& pod, const Amounts& requests, const std::vector<NodeRoom>& nodes) {
  if (nodes.empty()) return {.node = {}, .why_not = "no nodes available to schedule pods"};
  std::map<std::string, int> reasons;
  for (const NodeRoom& node : nodes) {
    if (std::string reason = objection(pod, *node.object); !reason.empty()) {
      ++reasons[reason];
      continue;
    }
    bool fits = true;
    for (const auto& [name, amount] : requests) {
      const auto free = node.free.find(name);
      if (amount == 0 || (free != node.free.end() && free->second >= amount)) continue;
      fits = false;
      ++reasons[name == "pods" ? "Too many pods" : "Insufficient " + name];
    }
    if (fits) return {.node = node.name, .why_not = {}};
  }
  std::string why;
  for (const auto& [reason, count] : reasons) {
    why.append(why.empty() ? "" : ", ").append(std::to_string(count)).append(" ").append(reason);
  }
  const std::string all = std::to_string(nodes.size());
  return {.node = {}, .why_not = "0/" + all + " nodes are available: " + why + "."};
}

Binder::Binder(asio::any_io_executor executor, Clock& clock, ObjectStore& store, ObjectWriter& writer)
    : clock_(clock), store_(store), writer_(writer), woken_(std::move(executor)) {
  store_.observe([this](const Change& change) {
    if (change.place.collection == "pods" || change.place.collection == "nodes") woken_.notify_all();
  });
}

Task<void> Binder::run() {
  for (;;) {
    const auto seen = woken_.version();
    const auto pods = store_.list("pods", "");
    if (std::ranges::any_of(pods, [](const ObjectRef& pod) { return is_waiting(pod->value); })) {
      Mutation bind = [this](Staging& staging) { return bind_all(staging); };
      const Outcome bound = co_await writer_.submit(std::move(bind));
      if (!bound) {
        log_.warn("pods were not bound", {{"error", bound.error().message}});
        co_await clock_.sleep_for(std::chrono::seconds(1));
        continue;
      }
    }
    co_await woken_.wait(seen, std::chrono::hours(24));
  }
}

Outcome Binder::bind_all(Staging& staging) const {
  auto pods = staging.list("pods", "");
  std::erase_if(pods, [](const ObjectRef& pod) { return !is_waiting(pod->value); });
  std::ranges::sort(pods, {}, [](const ObjectRef& pod) { return pod->created; });
  const auto nodes = staging.list("nodes", "");
  auto room = rooms(staging, nodes);
  for (const ObjectRef& pod : pods) {
    const Place place{.collection = "pods", .ns = namespace_of(pod->value), .name = name_of(pod->value)};
    const Amounts requests = requests_of(pod->value);
    const Placement placement = place_pod(pod->value, requests, room);
    if (placement.node.empty()) {
      explain(staging, place, pod->value, placement.why_not);
      continue;
    }
    const Outcome bound = kubeapi::bind(staging, place, placement.node);
    if (!bound) continue;
    const auto node = std::ranges::find(room, placement.node, &NodeRoom::name);
    take(node->free, requests);
    tell(staging, pod->value, "Normal", "Scheduled",
         "Successfully assigned " + place.ns + "/" + place.name + " to " + placement.node);
  }
  return Written{};
}

}  // namespace det::local::kubeapi
