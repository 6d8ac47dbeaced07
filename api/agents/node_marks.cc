#include "api/agents/node_marks.h"

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::api {
namespace {

using nlohmann::json;

const char* const kDisabled = "det-operator.dev/agent-disabled";  // "drain" or "stop"
const char* const kCordoned = "det-operator.dev/agent-cordoned";  // "true": the cordon is ours

const json& annotations_of(const json& node) {
  return get_object(get_object(node, "metadata"), "annotations");
}

bool is_cordoned(const json& node) {
  return get_bool(get_object(node, "spec"), "unschedulable");
}

}  // namespace

DisabledAs disabled_as(const json& node) {
  const std::string said = get_string(annotations_of(node), kDisabled);
  if (said == "drain") return DisabledAs::kDraining;
  return said == "stop" ? DisabledAs::kStopped : DisabledAs::kNot;
}

bool is_cordoned_by_others(const json& node) {
  return is_cordoned(node) && get_string(annotations_of(node), kCordoned).empty();
}

json disabling_patch(const json& node, DisabledAs as) {
  json annotations = {{kDisabled, as == DisabledAs::kDraining ? "drain" : "stop"}};
  // A mark of a cordon that somebody took back by kubectl is of this one again.
  if (!is_cordoned_by_others(node)) annotations[kCordoned] = "true";
  return {{"metadata", {{"annotations", annotations}}}, {"spec", {{"unschedulable", true}}}};
}

json enabling_patch(const json& node) {
  json patch = {{"metadata", {{"annotations", {{kDisabled, nullptr}, {kCordoned, nullptr}}}}}};
  if (is_cordoned(node) && !is_cordoned_by_others(node)) patch["spec"] = {{"unschedulable", nullptr}};
  return patch;
}

}  // namespace det::api
