#include "operator/task/task_view.h"

#include <utility>

#include "base/json_get.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

std::vector<std::int64_t> numbers(const json& list) {
  std::vector<std::int64_t> all;
  for (const json& one : list) {
    if (one.is_number_integer()) all.push_back(one.get<std::int64_t>());
  }
  return all;
}

}  // namespace

ObservedTask view_task(const json& object) {
  const json& meta = get_any(object, "metadata");
  const json& spec = get_any(object, "spec");
  const json& shown = get_any(spec, "tensorBoard");
  ObservedTask view;
  view.key = {.ns = get_string(meta, "namespace"), .name = get_string(meta, "name")};
  view.uid = get_string(meta, "uid");
  view.generation = get_integer(meta, "generation");
  view.deleting = get_any(meta, "deletionTimestamp").is_string();
  view.nonce = get_string(get_any(meta, "annotations"), pods::kAnnotationNonce);
  view.is_by_rest = is_written_by_rest(meta);
  view.controller_class = get_string(get_any(meta, "annotations"), pods::kAnnotationClass);
  view.type = model::parse_object_word(get_string(spec, "type"));
  view.suspend = get_bool(spec, "suspend");
  view.stop = get_string(spec, "stop") == "Kill" ? StopRequest::kKill : StopRequest::kNone;
  view.template_name = get_string(spec, "template");
  view.workspace = get_string(spec, "workspace");
  view.experiments = numbers(get_array(shown, "experimentIDs"));
  view.trials = numbers(get_array(shown, "trialIDs"));
  view.config = get_any(spec, "config");
  view.context = get_any(spec, "context");
  view.status = get_any(object, "status");
  return view;
}

KeptTask keep_task(const json& object) {
  KeptTask kept{.head = view_task(object), .id = {}, .state = {}, .config = {}, .status = {}};
  kept.id = get_string(kept.head.status, "id");
  kept.state = get_string(kept.head.status, "state");
  kept.config = kept_text(std::exchange(kept.head.config, nullptr));
  kept.status = kept_text(std::exchange(kept.head.status, nullptr));
  kept.head.context = nullptr;
  return kept;
}

ObservedTask KeptTask::unpack() const {
  ObservedTask view = head;
  view.config = json::parse(config);
  view.status = json::parse(status);
  return view;
}

}  // namespace det::op
