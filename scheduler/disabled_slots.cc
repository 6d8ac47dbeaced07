#include "scheduler/disabled_slots.h"

#include <charconv>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::scheduler {
namespace {

using nlohmann::json;

constexpr std::string_view kPrefix = "disabled-slot.det-operator.dev/";
// No node has more slots, and sums of them stay far from what 64 bits hold.
constexpr std::int64_t kMostMilli = 1'000'000'000;

std::optional<int> slot_of(std::string_view annotation) {
  if (!annotation.starts_with(kPrefix)) return std::nullopt;
  annotation.remove_prefix(kPrefix.size());
  int slot = -1;
  const auto [end, error] = std::from_chars(annotation.data(), annotation.data() + annotation.size(), slot);
  if (error != std::errc() || end != annotation.data() + annotation.size() || slot < 0) return std::nullopt;
  return slot;
}

}  // namespace

std::string disabled_slot_annotation(int slot) {
  return std::string(kPrefix) + std::to_string(slot);
}

std::string write_disabled_slot(const DisabledSlot& slot) {
  return json{{"resource", slot.resource}, {"milli", slot.milli}, {"drain", slot.drains}}.dump();
}

std::map<int, DisabledSlot> read_disabled_slots(const json& node) {
  std::map<int, DisabledSlot> slots;
  for (const auto& [name, value] : get_object(get_object(node, "metadata"), "annotations").items()) {
    const std::optional<int> number = slot_of(name);
    if (!number || !value.is_string()) continue;
    const json said = json::parse(value.get<std::string>(), nullptr, false);
    if (!said.is_object()) continue;
    DisabledSlot slot{.resource = get_string(said, "resource"),
                      .milli = get_integer(said, "milli"),
                      .drains = get_bool(said, "drain")};
    if (slot.resource.empty() || slot.milli <= 0 || slot.milli > kMostMilli) continue;
    slots.emplace(*number, std::move(slot));
  }
  return slots;
}

Amounts withheld_by(const std::map<int, DisabledSlot>& slots) {
  Amounts amounts;
  for (const auto& [number, slot] : slots) amounts[slot.resource] += slot.milli;
  return amounts;
}

}  // namespace det::scheduler
