#pragma once

// Reservations: room that is kept for the first waiting gang. Pure.

#include <optional>

#include "scheduler/decide.h"

namespace det::scheduler {

// Nodes for a gang that does not fit now, on the assumption that what runs ends. What is free for it now comes first,
// then what `previous` (may be null) kept, then the nodes with the least to wait for: so the reservation only ever
// moves from busy nodes to free ones. nullopt: an empty cluster would not hold the gang.
[[nodiscard]] std::optional<Reservation> reserve(Cluster& cluster, const Gang& gang, const Reservation* previous);

// Whether reserve() would find something: the empty cluster would hold the gang. Cheaper, for gangs that are not first.
[[nodiscard]] bool could_ever_hold(Cluster& cluster, const Gang& gang);

}  // namespace det::scheduler
