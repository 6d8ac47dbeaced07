#include "searcher/replay.h"

#include <string_view>
#include <utility>

#include "searcher/event_json.h"

namespace det::searcher {
namespace {

using nlohmann::json;

constexpr std::string_view kSetAside = "set_aside";

std::string text_at(const json& value, const char* name) {
  if (!value.is_object()) return {};
  const auto at = value.find(name);
  return at != value.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// What was decided, without the words about it: those may be put better in a later version.
json without_reasons(json decisions) {
  for (json& decision : decisions) {
    if (decision.is_object()) decision.erase("why");
  }
  return decisions;
}

// A number that JSON has no word for is null once it was written down.
json as_logged(const json& decisions) {
  return json::parse(decisions.dump());
}

std::string name_of(const LogEntry& entry) {
  const std::string id = text_at(entry.event, "id");
  return "event " + std::to_string(entry.seq) + " (" + text_at(entry.event, "in") + (id.empty() ? "" : " " + id) + ")";
}

std::unexpected<Error> lost(std::string message) {
  return fail(ErrorCode::kDataLoss, std::move(message));
}

}  // namespace

json set_aside(const std::string& request_id, const std::string& why) {
  return {{"in", kSetAside}, {"id", request_id}, {"why", why}};
}

Result<Replayed> Replay::take(const LogEntry& entry) {
  if (entry.seq != seq_ + 1) {
    return lost("event " + std::to_string(seq_ + 1) + " is missing: the log goes on with " + name_of(entry));
  }
  seq_ = entry.seq;
  Replayed replayed;
  if (text_at(entry.event, "in") == kSetAside) return replayed;
  auto event = event_from_json(entry.event);
  if (!event) return std::unexpected(with_context(std::move(event).error(), name_of(entry)));
  auto decisions = search_.take(*event);
  if (!decisions) return lost(name_of(entry) + ": the search does not take it: " + decisions.error().message);
  const json derived = without_reasons(to_json(*decisions));
  const json logged = without_reasons(entry.decisions);
  if (derived != logged && as_logged(derived) != logged) {
    return lost(name_of(entry) + ": the log holds other decisions than the search makes of it: " + logged.dump() +
                " there, " + derived.dump() + " here");
  }
  replayed.event = *std::move(event);
  replayed.decisions = *std::move(decisions);
  return replayed;
}

}  // namespace det::searcher
