#pragma once

// What `det agent disable` leaves on a Node object: whether it was us who disabled it, and what we may take back. Pure.

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

namespace det::api {

enum class DisabledAs : std::uint8_t {
  kNot,       // by us; somebody else may have cordoned it
  kDraining,  // what ran there was left to end
  kStopped,   // what ran there was ended
};

[[nodiscard]] DisabledAs disabled_as(const nlohmann::json& node);
// Merge patches of the node as it is now: a cordon that somebody else made is neither taken over nor taken back.
[[nodiscard]] nlohmann::json disabling_patch(const nlohmann::json& node, DisabledAs as);
[[nodiscard]] nlohmann::json enabling_patch(const nlohmann::json& node);
// Whether it is cordoned, and not by us.
[[nodiscard]] bool is_cordoned_by_others(const nlohmann::json& node);

}  // namespace det::api
