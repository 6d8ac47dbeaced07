#include "local/kubeapi/patch.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_depth.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxOperations = 10'000;  // the real server's limit

int depth_of(const json& value) {
  int deepest = 0;
  if (value.is_structured()) {
    for (const json& member : value) deepest = std::max(deepest, depth_of(member));
    ++deepest;
  }
  return deepest;
}

ApiResult<json> json_patch(const json& object, const json& patch, const Subject& subject) {
  if (!patch.is_array()) return std::unexpected(bad_request("a JSON patch is a list of operations"));
  if (patch.size() > kMaxOperations) {
    return std::unexpected(bad_request("the allowed maximum operations in a JSON patch is 10000"));
  }
  // Operations that copy parts into each other could double the object each time.
  constexpr std::size_t kMaxBytes = 3U << 20U;
  json changed = object;
  for (const json& operation : patch) {
    try {
      changed.patch_inplace(json::array({operation}));
    } catch (const json::exception& failed) {
      ApiError error =
          invalid(subject, {{"patch", "FieldValueInvalid", std::string("Invalid value: ") + failed.what()}});
      error.message = "the server rejected our request due to an error in our request: " + std::string(failed.what());
      return std::unexpected(std::move(error));
    }
    const bool copies = operation.is_object() && operation.contains("op") && operation["op"] == "copy";
    if (copies && (depth_of(changed) > kMaxDepth || dump(changed).size() > kMaxBytes)) {
      return std::unexpected(bad_request("the JSON patch makes the object too large"));
    }
  }
  return changed;
}

}  // namespace

ApiResult<json> parse_json(std::string_view text) {
  if (is_nested_deeper(text, kMaxDepth)) return std::unexpected(bad_request("the JSON is nested too deeply"));
  try {
    return json::parse(text);
  } catch (const json::exception& wrong) {
    return std::unexpected(
        bad_request(std::string("the object provided is unrecognized (must be JSON): ") + wrong.what()));
  }
}

ApiResult<json> apply_patch(PatchKind kind, const json& object, const json& patch, const Subject& subject) {
  if (kind == PatchKind::kJson) {
    auto changed = json_patch(object, patch, subject);
    if (changed && (!changed->is_object() || depth_of(*changed) > kMaxDepth)) {
      return std::unexpected(bad_request("the JSON patch does not leave an object"));
    }
    return changed;
  }
  if (!patch.is_object()) return std::unexpected(bad_request("a merge patch is an object"));
  if (kind == PatchKind::kStrategic) return strategic_merge(object, patch);
  json changed = object;
  changed.merge_patch(patch);
  return changed;
}

}  // namespace det::local::kubeapi
