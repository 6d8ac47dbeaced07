#pragma once

// Lists of ids in bodies that are about many things at once. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/forms.h"

namespace det::api {

// Each of them may wait for the API server.
inline constexpr std::size_t kMostAtOnce = 1'000;

// Empty when absent (null). kInvalidArgument, with `field`, for what is no list of numbers, or one that is too long.
[[nodiscard]] Result<std::vector<std::int64_t>> read_id_list(const wire::Json* given, const std::string& field);

}  // namespace det::api
