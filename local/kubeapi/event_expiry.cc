#include "local/kubeapi/event_expiry.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/json_get.h"
#include "local/kubeapi/object_meta.h"

namespace det::local::kubeapi {
namespace {

// When it happened last; nothing if its writer did not say so in a way that can be read.
std::optional<WallTime> time_of(const nlohmann::json& event) {
  std::string last = get_string(event, "lastTimestamp");
  if (last.empty()) last = get_string(event, "eventTime");
  if (last.empty()) last = get_string(meta_of(event), "creationTimestamp");
  return parse_rfc3339(last);
}

}  // namespace

std::vector<Place> expired_events(std::vector<ObjectRef> events, WallTime limit, std::size_t most) {
  const std::size_t too_many = events.size() - std::min(most, events.size());
  const auto kept = events.begin() + static_cast<std::ptrdiff_t>(too_many);
  std::ranges::nth_element(events, kept, {}, [](const ObjectRef& event) { return event->version; });
  std::vector<Place> expired;
  for (auto event = events.begin(); event != events.end(); ++event) {
    const nlohmann::json& value = (*event)->value;
    const auto time = time_of(value);
    if (event < kept || (time && *time < limit)) expired.push_back({"events", namespace_of(value), name_of(value)});
  }
  return expired;
}

}  // namespace det::local::kubeapi
