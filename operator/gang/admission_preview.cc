#include "operator/gang/admission_preview.h"

#include <utility>

#include "base/json_get.h"
#include "base/race.h"
#include "scheduler/read_objects.h"

namespace det::op {
namespace {

using nlohmann::json;

// Long enough for a burst of alike gangs, short enough that a LimitRange made just now counts. What changes within it
// is seen when the first pod is created.
constexpr std::chrono::seconds kFresh{10};
constexpr std::chrono::seconds kAnswerWithin{10};

// All that placing looks at and admission may change. Labels, claims and anti-affinity are the pod's own.
scheduler::PodShape with_admitted(scheduler::PodShape own, const scheduler::PodShape& admitted) {
  own.requests = admitted.requests;
  own.limits = admitted.limits;
  own.node_selector = admitted.node_selector;
  own.affinity = admitted.affinity;
  own.tolerations = admitted.tolerations;
  own.priority_class = admitted.priority_class;
  own.has_deadline = admitted.has_deadline;
  return own;
}

void erase_ours(json& map) {
  if (!map.is_object()) return;
  for (auto it = map.begin(); it != map.end();) {
    const bool is_ours = it.key().starts_with("det-operator.dev/") || it.key().starts_with("determined.ai/");
    it = is_ours ? map.erase(it) : std::next(it);
  }
}

}  // namespace

std::string admission_key(json pod) {
  json& meta = pod["metadata"];
  json kept = {{"namespace", get_string(meta, "namespace")}};
  for (const char* map : {"labels", "annotations"}) {
    if (!meta.contains(map)) continue;
    erase_ours(meta[map]);
    kept[map] = std::move(meta[map]);
  }
  json& spec = pod["spec"];
  for (const char* of_run : {"volumes", "imagePullSecrets"}) spec.erase(of_run);
  for (const char* list : {"containers", "initContainers"}) {
    if (!spec.contains(list)) continue;
    for (json& container : spec[list]) {
      for (const char* of_run : {"env", "envFrom", "volumeMounts"}) container.erase(of_run);
    }
  }
  return kept.dump() + spec.dump();
}

AdmissionPreview::AdmissionPreview(asio::any_io_executor executor, k8s::Client& client, Clock& clock)
    : client_(client), clock_(clock), answered_(std::move(executor)) {}

Task<scheduler::PodShape> AdmissionPreview::shape_of(json pod) {
  scheduler::PodShape own = scheduler::read_shape(pod);
  const std::string key = admission_key(pod);
  const Known* found = known_.find(key);
  if (found == nullptr || clock_.steady_now() - found->asked >= kFresh) {
    if (asking_.contains(key)) {
      co_await await_answer(key);
    } else {
      co_await ask(key, std::move(pod));
    }
    found = known_.find(key);
  }
  if (found == nullptr) co_return own;
  co_return with_admitted(std::move(own), found->shape);
}

Task<void> AdmissionPreview::await_answer(std::string key) {
  const SteadyTime deadline = clock_.steady_now() + kAnswerWithin;
  // Answers about other pods wake it, too.
  for (auto seen = answered_.version(); asking_.contains(key); seen = answered_.version()) {
    const auto left = deadline - clock_.steady_now();
    if (left <= left.zero() || !co_await wait_on_clock(answered_, seen, clock_, left)) co_return;
  }
}

Task<void> AdmissionPreview::ask(std::string key, json pod) {
  struct Asking {
    std::set<std::string>& all;
    Signal& answered;
    const std::string& key;
    ~Asking() {
      all.erase(key);
      answered.notify_all();
    }
  };
  asking_.insert(key);
  const Asking asking{asking_, answered_, key};
  const std::string ns = get_string(pod["metadata"], "namespace");
  k8s::WriteOptions options;
  options.dry_run = true;
  auto asked = client_.create(k8s::pods(), ns, std::move(pod), options);
  auto answer = co_await with_deadline(clock_, kAnswerWithin, std::move(asked));
  if (answer) {
    keep(key, *answer);
  } else {
    log_.debug("a dry run of a pod said nothing about its admission", {{"error", answer.error().message}});
  }
}

void AdmissionPreview::keep(const std::string& key, const json& stored) {
  known_.put(key, Known{.shape = scheduler::read_shape(stored), .asked = clock_.steady_now()});
}

bool AdmissionPreview::confirm(const json& pod, json stored, const scheduler::PodShape& said) {
  const scheduler::PodShape now = scheduler::read_shape(stored);
  if (now.requests == said.requests && now.node_selector == said.node_selector && now.tolerations == said.tolerations) {
    return true;
  }
  // The pin to its node is no admission's.
  stored["spec"]["affinity"] = get_any(pod.at("spec"), "affinity");
  keep(admission_key(pod), stored);
  return false;
}

}  // namespace det::op
