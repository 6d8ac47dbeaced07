#pragma once

// Rungs and trial maps as upstream's snapshots hold them, shared by the variants of successive halving. Pure.

#include <cstdint>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "searcher/ranked_list.h"
#include "searcher/trial_books.h"

namespace det::searcher {

// [{"request_id": .., "metric": ..}], null when there are none; with "promoted" where `with_promoted`. Infinite metrics
// are the strings "Infinity" and "-Infinity".
[[nodiscard]] nlohmann::json results_json(const TrialBooks& trials, const RankedList& results, bool with_promoted);
// kDataLoss when it is not of that form. Enters the ids in the books.
[[nodiscard]] Result<RankedList> results_from_json(TrialBooks& trials, const nlohmann::json& saved);

// Calls visit(trial, value) for each member of the map `saved`, whose keys are request ids; false when it is not such a
// map or visit says no. null is an empty map.
template <typename Visit>
[[nodiscard]] bool for_each_trial(TrialBooks& trials, const nlohmann::json& saved, Visit visit) {
  if (saved.is_null()) return true;
  if (!saved.is_object()) return false;
  for (const auto& [key, value] : saved.items()) {
    const auto id = parse_request_id(key);
    if (!id || !visit(trials.enter(*id), value)) return false;
  }
  return true;
}

// Whole number of `state[name]` from 0 up; nullopt when it is missing or anything else.
[[nodiscard]] std::optional<std::int64_t> count_at(const nlohmann::json& state, const char* name);

}  // namespace det::searcher
