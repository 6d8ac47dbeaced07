#pragma once

// What a client of GET /stream was told of records, each with the version of its state. Lists are in the order of ids.
// Pure.

#include <cstdint>
#include <vector>

#include "api/live/subscription.h"
#include "store/cluster/record_store.h"

namespace det::api {

using RecordStates = std::vector<store::RecordState>;

[[nodiscard]] std::vector<std::int64_t> ids_of(const RecordStates& states);
[[nodiscard]] KeySet keys_of(const RecordStates& states);
// Those of `now` that are not in `told` in that state.
[[nodiscard]] std::vector<std::int64_t> changed(const RecordStates& told, const RecordStates& now);
// What a client knows who was told of `now` up to `next`, where it stopped, and of `told` before: what goes away
// afterwards must be named to it.
[[nodiscard]] RecordStates told_up_to(std::int64_t next, const RecordStates& now, const RecordStates& told);

}  // namespace det::api
