#pragma once

// UUIDs that others wrote. Pure; uuid_v4() of base/encoding.h makes new ones.

#include <string>
#include <string_view>

namespace det {

// 8-4-4-4-12 hexadecimal digits.
[[nodiscard]] bool is_uuid(std::string_view text);
// The same UUID in lower case, as PostgreSQL writes it.
[[nodiscard]] std::string canonical_uuid(std::string_view uuid);

}  // namespace det
