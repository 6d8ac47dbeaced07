#include "api/live/told_records.h"

#include <algorithm>

namespace det::api {

using store::RecordState;

std::vector<std::int64_t> ids_of(const RecordStates& states) {
  std::vector<std::int64_t> ids;
  for (const RecordState& state : states) ids.push_back(state.id);
  return ids;
}

KeySet keys_of(const RecordStates& states) {
  KeySet set;
  for (const RecordState& state : states) set.push_back({.first = state.id, .last = state.id});
  return set;
}

std::vector<std::int64_t> changed(const RecordStates& told, const RecordStates& now) {
  std::vector<std::int64_t> ids;
  auto at = told.begin();
  for (const RecordState& state : now) {
    while (at != told.end() && at->id < state.id) ++at;
    if (at == told.end() || *at != state) ids.push_back(state.id);
  }
  return ids;
}

RecordStates told_up_to(std::int64_t next, const RecordStates& now, const RecordStates& told) {
  RecordStates all(now.begin(), std::ranges::lower_bound(now, next, {}, &RecordState::id));
  all.insert(all.end(), std::ranges::lower_bound(told, next, {}, &RecordState::id), told.end());
  return all;
}

}  // namespace det::api
