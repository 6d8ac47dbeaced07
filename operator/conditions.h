#pragma once

// Conditions of an object's status, as Kubernetes wants them: one entry per type, lastTransitionTime moves only when
// the status does. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"

namespace det::op {

enum class Truth : std::uint8_t { kFalse, kTrue, kUnknown };

struct Condition {
  std::string type;  // Accepted, Queued, Running, MetricReported, Complete, Failed, Ended, Reconciling, Stalled
  Truth status = Truth::kUnknown;
  std::string reason;   // CamelCase, for programs
  std::string message;  // one sentence, for people

  bool operator==(const Condition&) const = default;
};

// Bytes of warnings in a condition: for whoever reads one condition, not all of a long configuration.
inline constexpr std::size_t kMaxWarnings = 2'000;

// As conditions may hold it: they are read by people in a terminal; 500 wrong fields do not help one.
[[nodiscard]] std::string bounded_message(std::string text);

// `before` (the object's conditions, may be null) with `now` put in: types not in `now` are dropped.
[[nodiscard]] nlohmann::json merge_conditions(const nlohmann::json& before, const std::vector<Condition>& now,
                                              std::int64_t generation, WallTime time);

// `before` with `one` in place of the condition of its type; the others stay as they are.
[[nodiscard]] nlohmann::json put_condition(const nlohmann::json& before, const Condition& one, std::int64_t generation,
                                           WallTime time);

}  // namespace det::op
