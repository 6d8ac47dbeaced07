#include "pods/slot_resources.h"

#include <cmath>
#include <cstdint>

#include "base/json_get.h"
#include "model/expconf/config_warnings.h"
#include "model/pod/pod_spec_check.h"

namespace det::pods {
namespace {

using nlohmann::json;

// "500m" or "2".
std::string cpu_quantity(double cpus) {
  const auto milli = static_cast<std::int64_t>(std::llround(cpus * 1000));
  return milli % 1000 == 0 ? std::to_string(milli / 1000) : std::to_string(milli) + "m";
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

json slot_resources(const model::SlotRule& rule, int slots) {
  if (slots == 0) return json::object();
  switch (rule.type) {
    case model::SlotType::kCuda:
      return {{"nvidia.com/gpu", std::to_string(slots)}};
    case model::SlotType::kRocm:
      return {{"amd.com/gpu", std::to_string(slots)}};
    case model::SlotType::kCpu:
      return {{"cpu", cpu_quantity(rule.cpu_per_slot * slots)}};
  }
  return json::object();
}

std::vector<std::string> overruled_fields(const json& user, const model::SlotRule& rule, int slots) {
  std::vector<std::string> sentences;
  const json& spec = get_any(get_any(get_any(user, "environment"), "pod_spec"), "spec");
  const json ours = slot_resources(rule, slots);
  for (const json& container : get_array(spec, "containers")) {
    if (get_string(container, "name") != model::kMainContainer) continue;
    for (const char* kind : {"requests", "limits"}) {
      for (const auto& [resource, amount] : ours.items()) {
        const json& theirs = get_any(get_any(get_any(container, "resources"), kind), resource);
        if (theirs.is_null() || text_of(theirs) == amount.get<std::string>()) continue;
        sentences.push_back(model::idle_sentence(
            std::string("environment.pod_spec: resources.") + kind + "." + resource + " of " +
                std::string(model::kMainContainer),
            "that is what slots are made of, and resources.slots_per_trial (of tasks, resources.slots) says how many; "
            "a pod gets " +
                amount.get<std::string>()));
      }
    }
  }
  const std::string restarts = get_string(spec, "restartPolicy");
  if (!restarts.empty() && restarts != "Never") {
    sentences.push_back(model::idle_sentence("environment.pod_spec: spec.restartPolicy",
                                             "a program that ends is run again in a new pod, as max_restarts says"));
  }
  return sentences;
}

}  // namespace det::pods
