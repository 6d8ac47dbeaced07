#pragma once

#include <string>

namespace det {

// A measured number for people: four significant digits, but no digit of the whole part is dropped: "0.9041", "12.25",
// "123457", "1e-07". For programs there is number_text.
[[nodiscard]] std::string short_number(double number);

}  // namespace det
