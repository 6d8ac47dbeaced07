#pragma once

// As errors show a value that is wrong. Pure.

#include <string>

#include "wire/forms.h"

namespace det::wire {

// Its JSON, cut after 100 bytes.
[[nodiscard]] std::string quoted(const Json& value);

}  // namespace det::wire
