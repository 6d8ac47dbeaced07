#pragma once

// Slots of a node that administrators took away (`det slot disable`). Each is an annotation of the Node object, so that
// it outlives the operator, every replica sees it, and two that are disabled at once do not overwrite each other. Pure.

#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "scheduler/snapshot.h"

namespace det::scheduler {

// What is not there for new gangs while a slot is disabled.
struct DisabledSlot {
  std::string resource;    // "nvidia.com/gpu", "cpu"
  std::int64_t milli = 0;  // thousandths of it
  bool drains = false;     // what ran on it goes on

  bool operator==(const DisabledSlot&) const = default;
};

// The annotation that says of slot `slot` (from 0) that it is disabled.
[[nodiscard]] std::string disabled_slot_annotation(int slot);
[[nodiscard]] std::string write_disabled_slot(const DisabledSlot& slot);
// By the slot's number. Annotations that say something else than write_disabled_slot() are passed over.
[[nodiscard]] std::map<int, DisabledSlot> read_disabled_slots(const nlohmann::json& node);
// By resource.
[[nodiscard]] Amounts withheld_by(const std::map<int, DisabledSlot>& slots);

}  // namespace det::scheduler
