#include "operator/status_writer.h"

#include <algorithm>
#include <functional>

#include "base/json_get.h"
#include "operator/views.h"

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

namespace {

std::size_t step_hash(const json& before, const json& wanted) {
  return std::hash<json>()(json::array({before, wanted}));
}

std::size_t text_hash(const std::string& text) {
  return std::hash<std::string>()(text);
}

}  // namespace

std::optional<std::chrono::nanoseconds> StatusPace::delay(const std::string& key, const json& before,
                                                          const json& wanted, bool is_end, SteadyTime now) {
  using std::chrono::nanoseconds;
  Known& known = known_[key];
  known.wanted = text_hash(kept_text(wanted));
  if (merge_diff(before, wanted).empty()) return std::nullopt;
  if (known.written && known.step == step_hash(before, wanted)) return std::nullopt;
  if (is_end) return nanoseconds(0);
  const auto differs = [&](const char* name) { return get_any(before, name) != get_any(wanted, name); };
  nanoseconds left{0};
  if (differs("state") || differs("conditions")) {
    if (!known.unsettled_since) known.unsettled_since = now;
    left = *known.unsettled_since + kSettleTime - now;
  } else if (known.written) {
    left = *known.written + kProgressInterval - now;
  }
  return std::max(left, nanoseconds(0));
}

bool StatusPace::is_foreign(const std::string& key, const std::string& status) {
  const auto known = known_.find(key);
  if (known == known_.end() || known->second.wanted == text_hash(status)) return false;
  known->second.step = 0;
  return true;
}

void StatusPace::written(const std::string& key, const json& before, const json& wanted, SteadyTime now) {
  Known& known = known_[key];
  known.unsettled_since.reset();
  known.written = now;
  known.step = step_hash(before, wanted);
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
