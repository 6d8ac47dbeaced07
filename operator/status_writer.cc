#include "operator/status_writer.h"

namespace det::op {

using nlohmann::json;

json merge_diff(const json& before, const json& after) {
  json patch = json::object();
  if (before.is_object()) {
    for (const auto& [key, value] : before.items()) {
      if (!after.contains(key)) patch[key] = nullptr;
    }
  }
  for (const auto& [key, value] : after.items()) {
    const bool known = before.is_object() && before.contains(key);
    if (known && before.at(key) == value) continue;
    patch[key] = known && value.is_object() && before.at(key).is_object() ? merge_diff(before.at(key), value) : value;
  }
  return patch;
}

Task<Status> write_status(k8s::Client& client, k8s::Resource resource, k8s::ObjectKey key, json before, json wanted) {
  json difference = merge_diff(before, wanted);
  if (difference.empty()) co_return Status{};
  json patch = {{"status", std::move(difference)}};
  k8s::PatchOptions options;
  options.subresource = "status";
  auto written = co_await client.patch(resource, key, std::move(patch), options);
  if (!written && written.error().code != ErrorCode::kNotFound) {
    co_return std::unexpected(with_context(std::move(written).error(), "write status of " + to_string(key)));
  }
  co_return Status{};
}

}  // namespace det::op
