#pragma once

// Which name was probably meant by one that does not exist. Pure; any thread.

#include <span>
#include <string_view>

namespace det {

// The one of `names` that differs from `word` by a slip: one letter (or two that changed places) of a short word, two
// of a longer one; upper case, '_' and '-' do not count ("slotsPerTrial" is near "slots_per_trial"). Of equally near
// ones the first. Empty when none is near, or when `word` is one of them.
[[nodiscard]] std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

}  // namespace det
