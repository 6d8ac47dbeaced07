#pragma once

// The words of the wire for how a trial uses a checkpoint. Pure.

#include <optional>
#include <string_view>

#include "store/trials/trial_source_store.h"

namespace det::api {

[[nodiscard]] constexpr std::optional<store::TrialSourceKind> read_source_kind(std::string_view word) {
  if (word == "TRIAL_SOURCE_INFO_TYPE_INFERENCE") return store::TrialSourceKind::kInference;
  if (word == "TRIAL_SOURCE_INFO_TYPE_FINE_TUNING") return store::TrialSourceKind::kFineTuning;
  return std::nullopt;
}

// What it takes, for errors.
inline constexpr std::string_view kSourceKinds =
    "TRIAL_SOURCE_INFO_TYPE_INFERENCE or TRIAL_SOURCE_INFO_TYPE_FINE_TUNING";

}  // namespace det::api
