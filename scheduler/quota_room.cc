#include "scheduler/quota_room.h"

#include <algorithm>
#include <string_view>

#include "base/quantity.h"

namespace det::scheduler {
namespace {

std::int64_t amount_of(const Amounts& amounts, const std::string& resource) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? 0 : found->second;
}

bool counts(const Quota& quota, const PodShape& shape) {
  if (!quota.is_understood) return false;
  if (quota.terminating && *quota.terminating != shape.has_deadline) return false;
  Labels classes;
  if (!shape.priority_class.empty()) classes.emplace("class", shape.priority_class);
  return std::ranges::all_of(quota.priority_class, [&](const Requirement& each) { return matches(each, classes); });
}

}  // namespace

std::optional<std::int64_t> counted(const PodShape& shape, const std::string& word) {
  constexpr std::string_view kRequests = "requests.";
  constexpr std::string_view kLimits = "limits.";
  if (word == "pods" || word == "count/pods") return 1000;
  if (word == "cpu" || word == "memory" || word == "ephemeral-storage") return amount_of(shape.requests, word);
  if (word.starts_with(kRequests)) return amount_of(shape.requests, word.substr(kRequests.size()));
  if (word.starts_with(kLimits)) return amount_of(shape.limits, word.substr(kLimits.size()));
  return std::nullopt;
}

QuotaRoom::QuotaRoom(const Snapshot& snapshot) {
  for (const Quota* quota : snapshot.quotas) {
    Room room{.quota = quota, .left = quota->hard};
    for (auto& [word, left] : room.left) left = difference_clamped(left, amount_of(quota->used, word));
    by_namespace_[quota->ns].push_back(std::move(room));
  }
  const bool counts_here = std::ranges::any_of(snapshot.quotas, [](const Quota* each) { return !each->is_counted; });
  for (const Pod* pod : snapshot.pods) {
    if (pod->is_assumed) take(*pod->shape, 1);
    if (counts_here && !pod->is_assumed) take_uncounted(*pod->shape);
  }
}

std::optional<WaitReason> QuotaRoom::objection(const PodShape& shape, int pods) const {
  const auto rooms = by_namespace_.find(shape.ns);
  if (rooms == by_namespace_.end()) return std::nullopt;
  WaitReason reason{.code = ReasonCode::kQuotaExceeded, .wanted = pods};
  for (const Room& room : rooms->second) {
    if (!counts(*room.quota, shape)) continue;
    for (const auto& [word, left] : room.left) {
      const auto each = counted(shape, word);
      if (!each || *each == 0) continue;
      const std::int64_t wanted = product_clamped(*each, pods);
      if (wanted <= left) continue;
      reason.children.push_back({.code = ReasonCode::kQuota,
                                 .subject = room.quota->name + ": " + word,
                                 .wanted = wanted,
                                 .available = std::max<std::int64_t>(left, 0)});
    }
  }
  if (reason.children.empty()) return std::nullopt;
  return reason;
}

bool QuotaRoom::could_ever_fit(const PodShape& shape, int pods) const {
  const auto rooms = by_namespace_.find(shape.ns);
  if (rooms == by_namespace_.end()) return true;
  return std::ranges::all_of(rooms->second, [&](const Room& room) {
    return !counts(*room.quota, shape) || std::ranges::all_of(room.quota->hard, [&](const auto& limit) {
      return product_clamped(counted(shape, limit.first).value_or(0), pods) <= limit.second;
    });
  });
}

void QuotaRoom::take_uncounted(const PodShape& shape) {
  const auto rooms = by_namespace_.find(shape.ns);
  if (rooms == by_namespace_.end()) return;
  for (Room& room : rooms->second) {
    if (room.quota->is_counted || !counts(*room.quota, shape)) continue;
    for (auto& [word, left] : room.left) left = difference_clamped(left, counted(shape, word).value_or(0));
  }
}

void QuotaRoom::take(const PodShape& shape, int pods) {
  const auto rooms = by_namespace_.find(shape.ns);
  if (rooms == by_namespace_.end()) return;
  for (Room& room : rooms->second) {
    if (!counts(*room.quota, shape)) continue;
    for (auto& [word, left] : room.left) {
      left = difference_clamped(left, product_clamped(counted(shape, word).value_or(0), pods));
    }
  }
}

}  // namespace det::scheduler
