#include "operator/gang/set_up_events.h"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/cut_text.h"
#include "base/json_get.h"
#include "base/printable.h"
#include "k8sclient/request_path.h"
#include "operator/gang/pod_exit.h"

namespace det::op {
namespace {

using nlohmann::json;

// A kubelet counts repeated events up in place of making more; whoever may write events into the namespace may not have
// us read all of theirs.
constexpr const char* kMostEvents = "200";
constexpr std::size_t kMaxMessage = 1'024;

bool is_being_set_up(const PodFacts& pod) {
  return pod.lacks_sandbox && pod.is_scheduled && pod.phase == PodPhase::kPending && !pod.deleting;
}

// In RFC 3339, as the server writes it; the forms with and without fractions of a second sort alike up to the second.
std::string last_time(const json& event) {
  return std::max({get_string(get_any(event, "series"), "lastObservedTime"), get_string(event, "lastTimestamp"),
                   get_string(event, "eventTime")});
}

}  // namespace

Task<std::optional<WallTime>> SetUpEvents::explain(std::vector<PodFacts>& pods) {
  PodFacts* first = nullptr;
  for (PodFacts& pod : pods) {
    if (is_being_set_up(pod) && (first == nullptr || pod.rank < first->rank)) first = &pod;
  }
  if (first == nullptr) co_return std::nullopt;
  const WallTime now = clock_.wall_now();
  Known* known = known_.find(first->uid);
  if (known == nullptr) co_return known_.put(first->uid, {.ask_at = next_turn(now), .told = {}}).ask_at;
  if (now >= known->ask_at) {
    Told told = known->told;  // stands where there is no answer
    if (auto answer = co_await ask(*first)) told = std::move(*answer);
    known = &known_.put(first->uid, {.ask_at = next_turn(now), .told = std::move(told)});
  }
  if (!known->told.reason.empty()) {
    first->waiting_reason = known->told.reason;
    first->waiting_message = known->told.message;
  }
  co_return known->ask_at;
}

WallTime SetUpEvents::next_turn(WallTime now) {
  last_turn_ = std::max(now + kAskEvery, last_turn_ + kApart);
  return last_turn_;
}

Task<Result<SetUpEvents::Told>> SetUpEvents::ask(const PodFacts& pod) {
  k8s::RequestPath path(k8s::core_events().collection_path(pod.key.ns));
  path.with("limit", kMostEvents).with("fieldSelector", "involvedObject.uid=" + pod.uid);
  auto text = co_await client_.get_raw(path.text());
  DET_CO_TRY(text);
  const json list = json::parse(*text, nullptr, false);
  const json* newest = nullptr;
  for (const json& event : get_array(list, "items")) {
    const std::string reason = get_string(event, "reason");
    if (!is_set_up_failure(reason) && reason != "SuccessfulAttachVolume") continue;
    if (newest == nullptr || last_time(event) >= last_time(*newest)) newest = &event;
  }
  if (newest == nullptr || !is_set_up_failure(get_string(*newest, "reason"))) co_return Told();
  co_return Told{.reason = get_string(*newest, "reason"),
                 .message = printable(cut_text(get_string(*newest, "message"), kMaxMessage))};
}

}  // namespace det::op
