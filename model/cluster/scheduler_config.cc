#include "model/cluster/scheduler_config.h"

#include <array>
#include <utility>

namespace det::model {
namespace {

constexpr std::array<std::pair<std::string_view, GangBackendKind>, 5> kKinds = {
    {{"own", GangBackendKind::kOwn},
     {"native", GangBackendKind::kNative},
     {"coscheduling", GangBackendKind::kCoscheduling},
     {"kube-scheduler", GangBackendKind::kKubeScheduler},
     {"auto", GangBackendKind::kAuto}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> kScaleUp = {{{"none", false}, {"pendingPods", true}}};
constexpr IntRange kSeconds{.min = 1, .max = 86'400};

}  // namespace

SchedulerConfig read_scheduler_config(JsonReader& root) {
  SchedulerConfig config;
  JsonReader section = root.object("scheduler");
  const auto type = section.choice<GangBackendKind>("type", kKinds);
  if (type) config.type = *type;
  if (const auto seconds = section.integer("bind_timeout", kSeconds)) {
    config.bind_timeout = std::chrono::seconds(*seconds);
  }
  config.scale_up_by_pending_pods = section.choice<bool>("scale_up", kScaleUp).value_or(false);
  if (const auto seconds = section.integer("scale_up_timeout", kSeconds)) {
    config.scale_up_timeout = std::chrono::seconds(*seconds);
  }
  if (auto labels = section.strings("topology")) config.topology = std::move(*labels);
  if (auto name = section.string("coscheduler_name")) config.coscheduler_name = std::move(*name);

  JsonReader manager = root.object("resource_manager");
  const std::string old = manager.string("default_scheduler").value_or("");
  if (old == "coscheduler") {
    config.was_mapped = !type;
  } else if (!old.empty()) {
    manager.report("default_scheduler", "only blank or \"coscheduler\" are understood, not \"" + old +
                                            "\"; scheduler.type chooses how gangs are scheduled here");
  }
  return config;
}

std::string_view to_string(GangBackendKind kind) {
  for (const auto& [text, value] : kKinds) {
    if (value == kind) return text;
  }
  return "own";
}

}  // namespace det::model
