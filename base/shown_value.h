#pragma once

// What of a value that somebody wrote may be shown in a message about it. Pure; any thread.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace det {

// The number, word or text as JSON, cut after 60 bytes and without control characters; empty for lists and objects, and
// for everything whose key names a secret ("password", "access_key", "token").
[[nodiscard]] std::string shown_value(std::string_view key, const nlohmann::json& value);

}  // namespace det
