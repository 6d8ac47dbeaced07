#pragma once

// Ids that cannot be mixed up: TrialId and ExperimentId are different types over the same integer.

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace det {

template <typename Tag>
struct StrongId {
  std::int64_t value = 0;

  auto operator<=>(const StrongId&) const = default;
  [[nodiscard]] bool is_set() const { return value != 0; }
};

template <typename Tag>
std::string to_string(StrongId<Tag> id) {
  return std::to_string(id.value);
}

}  // namespace det

template <typename Tag>
struct std::hash<det::StrongId<Tag>> {
  std::size_t operator()(det::StrongId<Tag> id) const noexcept { return std::hash<std::int64_t>()(id.value); }
};
