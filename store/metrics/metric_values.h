#pragma once

// Numbers of metrics as PostgreSQL writes them. A detail of the stores that read many.

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace det::store {

// The elements of "{1,NULL,NaN}", with `null` for NULL. Always `count` of them.
void append_values(std::string_view array, std::size_t count, std::vector<double>& values, double null);

// Of date_part('epoch', time), which is exact to the microsecond for some centuries.
[[nodiscard]] WallTime time_of_seconds(double seconds);

}  // namespace det::store
