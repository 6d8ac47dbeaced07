#pragma once

// How the gates put what is wrong. Pure.

#include <cstddef>
#include <string_view>

#include "accept/submission.h"

namespace det::accept {

// Bytes of what a program gets in a variable: Linux starts none with one that is longer.
[[nodiscard]] constexpr std::size_t longest_value_of(std::string_view variable) {
  return (std::size_t{128} << 10U) - variable.size() - std::string_view("=").size() - 1;
}

[[nodiscard]] Objection refuse(RefusalReason reason, Part part, Error error);
// With a field of `part`.
[[nodiscard]] Objection refuse(RefusalReason reason, Part part, std::string field, std::string message);
// Of a configuration. That its pool is not there may pass.
[[nodiscard]] Objection wrong_config(FieldErrors errors);

}  // namespace det::accept
