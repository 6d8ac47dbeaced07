#include "tests/simulation/cluster.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/encoding.h"
#include "base/json_get.h"
#include "base/race.h"
#include "pods/names.h"
#include "scheduler/read_objects.h"
#include "tests/simulation/pod_secrets.h"

namespace det::simulation {
namespace {

using nlohmann::json;
using op::test::Step;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kLookMin{20};
constexpr milliseconds kLookMax{200};
constexpr seconds kBetweenBookmarks{60};
// The control plane gives a silent node's pods up.
constexpr seconds kNodeGivenUp{40};

constexpr const char* kQuota = "gpus";
constexpr const char* kQuotaKey = "requests.nvidia.com/gpu";

int gpus_of(const json& pod) {
  int gpus = 0;
  for (const json& container : get_array(get_object(pod, "spec"), "containers")) {
    const json& limits = get_object(get_object(container, "resources"), "limits");
    const json& count = get_any(limits, "nvidia.com/gpu");
    if (count.is_number_integer()) gpus += count.get<int>();
    if (count.is_string()) gpus += std::stoi(count.get<std::string>());
  }
  return gpus;
}

std::string uid_of(const json& object) {
  return get_string(get_object(object, "metadata"), "uid");
}

k8s::ObjectKey key_of(const json& object) {
  const json& metadata = get_object(object, "metadata");
  return {.ns = get_string(metadata, "namespace"), .name = get_string(metadata, "name")};
}

bool is_deleted(const json& object) {
  return get_object(object, "metadata").contains("deletionTimestamp");
}

std::string node_of(const json& pod) {
  return get_string(get_object(pod, "spec"), "nodeName");
}

// Orders that may follow an exit with this code: what a kubelet says when nothing else happens to the pod, and what
// others do to it afterwards.
std::vector<const op::test::Order*> orders_of(int code) {
  const std::string begins = "exit " + std::to_string(code == 0 ? 0 : 3);
  std::vector<const op::test::Order*> orders;
  for (const auto& order : op::test::kubelet_orders()) {
    if (std::string(order.name).starts_with(begins)) orders.push_back(&order);
  }
  return orders;
}

// What the API server makes of a Secret.
void admit(const std::string& collection, json& object) {
  if (collection != "v1/secrets" || !object.contains("stringData")) return;
  for (const auto& [name, value] : object["stringData"].items()) {
    object["data"][name] = base64_encode(value.get<std::string>());
  }
  object.erase("stringData");
}

}  // namespace

struct Cluster::Pod {
  explicit Pod(const asio::any_io_executor& executor) : told(executor) {}
  k8s::ObjectKey key;
  std::string uid;
  std::string node;
  Container container;
  Signal told;
  bool is_told = false;  // to end, or that its node is dead
  std::optional<int> code;
};

Cluster::Cluster(asio::any_io_executor executor, test::FakeApiServer& server, test::FakeClock& clock, Draw& draw,
                 Train train, const Broken& broken)
    : executor_(executor),
      server_(server),
      clock_(clock),
      draw_(draw),
      train_(std::move(train)),
      broken_(broken),
      pods_(executor) {
  server_.admit_with(admit);
}

Cluster::~Cluster() = default;

void Cluster::add_node(const std::string& name, int gpus) {
  const json offered = {{"cpu", "64"}, {"memory", "256Gi"}, {"pods", "110"}, {"nvidia.com/gpu", std::to_string(gpus)}};
  server_.create(k8s::nodes(),
                 {{"metadata", {{"name", name}}},
                  {"status", {{"allocatable", offered}, {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}});
}

void Cluster::set_quota(const std::string& ns, int gpus) {
  quota_ns_ = ns;
  quota_ = gpus;
  const std::string text = std::to_string(gpus);
  server_.create(k8s::resource_quotas(), {{"metadata", {{"name", kQuota}, {"namespace", ns}}},
                                          {"spec", {{"hard", {{kQuotaKey, text}}}}},
                                          {"status", {{"hard", {{kQuotaKey, text}}}, {"used", {{kQuotaKey, "0"}}}}}});
  server_.refuse_with([this](const std::string& collection, const json& object) -> std::optional<test::StoreAnswer> {
    if (collection != "v1/pods" || gpus_of(object) + gpus_in_use() <= quota_) return std::nullopt;
    return test::refusal(403, "Forbidden", "pods is forbidden: exceeded quota: " + std::string(kQuota));
  });
}

int Cluster::gpus_in_use() const {
  int gpus = 0;
  for (const test::StoredObject& shared : server_.shared(k8s::pods(), quota_ns_)) {
    const json& pod = *shared;
    const std::string phase = get_string(get_object(pod, "status"), "phase");
    if (phase != "Succeeded" && phase != "Failed") gpus += gpus_of(pod);
  }
  return gpus;
}

// The controller that fills in what is used, some time later.
void Cluster::count_quota() {
  const k8s::ObjectKey key{.ns = quota_ns_, .name = kQuota};
  json quota = server_.find(k8s::resource_quotas(), key);
  quota["status"]["used"][kQuotaKey] = std::to_string(gpus_in_use());
  server_.overwrite(k8s::resource_quotas(), key, std::move(quota));
}

void Cluster::lose_node(const std::string& name) {
  lost_nodes_.emplace(name, clock_.steady_now());
  for (auto& [uid, pod] : known_) {
    if (pod->node != name) continue;
    pod->is_told = true;
    pod->told.notify_all();
    running_.erase(uid);
  }
  json node = server_.find(k8s::nodes(), {.ns = {}, .name = name});
  node["status"]["conditions"] = json::array({{{"type", "Ready"}, {"status", "Unknown"}}});
  node["spec"]["taints"] = json::array({{{"key", "node.kubernetes.io/unreachable"}, {"effect", "NoExecute"}}});
  server_.overwrite(k8s::nodes(), {.ns = {}, .name = name}, std::move(node));
}

Task<void> Cluster::run() {
  SteadyTime bookmarked = clock_.steady_now();
  for (;;) {
    if (clock_.steady_now() - bookmarked > kBetweenBookmarks) {
      bookmarked = clock_.steady_now();
      server_.send_bookmarks();
    }
    if (server_.version() != seen_ || !lost_nodes_.empty()) look();
    co_await clock_.sleep_for(draw_.between(kLookMin, kLookMax));
  }
}

void Cluster::stop() {
  pods_.cancel();
}

void Cluster::look() {
  seen_ = server_.version();
  std::set<std::string> present;
  for (const test::StoredObject& shared : server_.shared(k8s::pods())) {
    const json& object = *shared;
    const std::string uid = uid_of(object);
    present.insert(uid);
    const std::string node = node_of(object);
    if (node.empty()) {
      if (!is_deleted(object)) bind(object);
      continue;
    }
    if (const auto lost = lost_nodes_.find(node); lost != lost_nodes_.end()) {
      if (!is_deleted(object) && clock_.steady_now() - lost->second > kNodeGivenUp) {
        server_.ask_to_delete(k8s::pods(), key_of(object));
      }
      continue;
    }
    auto& known = known_[uid];
    if (!known) {
      known = std::make_shared<Pod>(executor_);
      known->key = key_of(object);
      known->uid = uid;
      known->node = node;
      const json& labels = get_object(get_object(object, "metadata"), "labels");
      known->container = {.pod = known->key,
                          .workload = get_string(labels, pods::kLabelTrial) + get_string(labels, pods::kLabelTask),
                          .run = std::stoi(get_string(labels, pods::kLabelRun)),
                          .rank = std::stoi(get_string(labels, pods::kLabelRank))};
      pods_.spawn("pod " + known->key.name, live(known));
    }
    if (is_deleted(object) && !known->is_told) {
      known->is_told = true;
      known->told.notify_all();
    }
  }
  // By force, or because nothing ran there any more: the kubelet ends what it still runs.
  for (auto& [uid, pod] : known_) {
    if (present.contains(uid) || pod->is_told) continue;
    pod->is_told = true;
    pod->told.notify_all();
  }
  collect_garbage();
  if (quota_ > 0) count_quota();
}

// kube-scheduler: a pinned pod goes to its node, if that is there.
void Cluster::bind(const json& pod) {
  if (draw_.one_in(3)) {
    seen_ = 0;  // later
    return;
  }
  const std::string node = scheduler::node_of(pod);
  const std::string rank = get_string(get_object(get_object(pod, "metadata"), "labels"), pods::kLabelRank);
  if (node.empty() || lost_nodes_.contains(node) || rank == std::to_string(broken_.never_binds_rank)) return;
  json bound = pod;
  bound["spec"]["nodeName"] = node;
  bound["status"]["phase"] = "Pending";
  bound["status"]["conditions"] = json::array({{{"type", "PodScheduled"}, {"status", "True"}}});
  server_.overwrite(k8s::pods(), key_of(pod), std::move(bound));
}

void Cluster::collect_garbage() {
  std::set<std::string> owners;
  for (const auto& kind : {k8s::experiments(), k8s::trials(), k8s::tasks()}) {
    for (const auto& object : server_.shared(kind)) owners.insert(uid_of(*object));
  }
  for (const auto& kind : {k8s::trials(), k8s::tasks(), k8s::pods(), k8s::secrets()}) {
    for (const test::StoredObject& shared : server_.shared(kind)) {
      const json& object = *shared;
      const json& references = get_array(get_object(object, "metadata"), "ownerReferences");
      const bool is_owned = std::ranges::any_of(
          references, [&](const json& reference) { return owners.contains(get_string(reference, "uid")); });
      const bool is_left = broken_.collects_no_garbage && kind.kind == "Secret";
      if (references.empty() || is_owned || is_deleted(object) || is_left) continue;
      server_.ask_to_delete(kind, key_of(object));
    }
  }
}

json Cluster::current(const Pod& pod) const {
  json object = server_.find(k8s::pods(), pod.key);
  return !object.is_null() && uid_of(object) == pod.uid ? object : json();
}

bool Cluster::show(const Pod& pod, const Step& step) {
  json object = current(pod);
  if (object.is_null()) return false;
  step(object, clock_.wall_now());
  if (object.is_null()) {
    server_.erase(k8s::pods(), pod.key);
    return false;
  }
  server_.overwrite(k8s::pods(), pod.key, std::move(object));
  return true;
}

// A pod from its node's first look at it to its end.
Task<void> Cluster::live(std::shared_ptr<Pod> pod) {
  struct Ended {
    std::map<std::string, std::shared_ptr<Pod>>& known;
    std::map<std::string, Container>& running;
    std::string uid;
    ~Ended() {
      running.erase(uid);
      known.erase(uid);
    }
  };
  const Ended ended{known_, running_, pod->uid};
  co_await clock_.sleep_for(draw_.between(milliseconds(50), milliseconds(600)));
  if (lacks_volumes(*pod) && !pod->is_told) co_await wait_for_volumes(pod);
  if (!pod->is_told) {
    const std::string ip = "10.0.0." + std::to_string(next_ip_++);
    const auto starts = [&](json& object, WallTime now) {
      object["status"] = op::test::new_pod(0, false, now)["status"];
      object["status"]["startTime"] = format_rfc3339_seconds(now);
      object["status"]["podIP"] = ip;
    };
    if (!show(*pod, starts)) co_return;
    running_.emplace(pod->uid, pod->container);
    auto training = train(pod);
    auto told = until_told(pod);
    co_await first_of(std::move(training), std::move(told));
  }
  if (lost_nodes_.contains(pod->node)) {
    while (!current(*pod).is_null()) co_await clock_.sleep_for(seconds(1));
    co_return;
  }
  if (pod->code) {
    if (!broken_.containers_outlive_pods) running_.erase(pod->uid);
    co_await tell_end(pod);
  }
  co_await remove(pod);
}

bool Cluster::lacks_volumes(const Pod& pod) const {
  return are_volumes_lost_ || lacks_secrets(server_, current(pod));
}

// What a kubelet shows is no more than that it is at work.
Task<void> Cluster::wait_for_volumes(std::shared_ptr<Pod> pod) {
  const auto waits = [](json& object, WallTime now) {
    object["status"]["startTime"] = format_rfc3339_seconds(now);
    object["status"]["conditions"].push_back({{"type", "PodReadyToStartContainers"}, {"status", "False"}});
    object["status"]["containerStatuses"] =
        json::array({{{"name", "determined-container"}, {"state", {{"waiting", {{"reason", "ContainerCreating"}}}}}}});
  };
  if (!show(*pod, waits)) co_return;
  while (lacks_volumes(*pod) && !pod->is_told) co_await clock_.sleep_for(seconds(1));
}

Task<void> Cluster::train(std::shared_ptr<Pod> pod) {
  pod->code = co_await train_(environment_of(server_, current(*pod)));
}

Task<void> Cluster::until_told(std::shared_ptr<Pod> pod) {
  while (!pod->is_told) {
    const auto seen = pod->told.version();
    co_await pod->told.wait(seen, std::chrono::hours(24));
  }
}

// In one of the orders in which kubelets and others tell it.
Task<void> Cluster::tell_end(std::shared_ptr<Pod> pod) {
  const auto orders = orders_of(*pod->code);
  const op::test::Order& order = *orders[draw_.below(orders.size())];
  ++played_[order.name];
  for (const Step& step : order.steps) {
    // Kubernetes tells times by the second: what happens within one second has no order.
    const milliseconds least{&step == order.steps.data() ? 0 : 1'000};
    co_await clock_.sleep_for(draw_.between(least, least + milliseconds(1'500)));
    if (!show(*pod, step)) co_return;
  }
  auto told = until_told(pod);
  co_await std::move(told);
}

Task<void> Cluster::remove(std::shared_ptr<Pod> pod) {
  json object = current(*pod);
  if (object.is_null()) co_return;
  if (broken_.containers_outlive_pods) {
    server_.erase(k8s::pods(), pod->key);
    co_await clock_.sleep_for(std::chrono::hours(1));
  }
  const json& grace = get_any(get_object(object, "metadata"), "deletionGracePeriodSeconds");
  const seconds patience{grace.is_number_integer() ? grace.get<int>() : 30};
  for (const Step& step : op::test::removal(object, clock_.wall_now(), patience)) {
    co_await clock_.sleep_for(draw_.between(milliseconds(0), milliseconds(1'500)));
    running_.erase(pod->uid);
    if (!show(*pod, step)) co_return;
  }
}

}  // namespace det::simulation
