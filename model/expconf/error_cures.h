#pragma once

// What would work where a configuration has something that does not, in the words that stand behind an error's own.
// Pure; any thread.

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace det::model {

// What could stand at a path ("bind_mounts[3].host_path"); empty: no example is known. The text is static.
[[nodiscard]] std::string_view example_of(std::string_view path);

// What follows an error's text: "; write 4 without quotation marks", or nothing where no cure is known. `message` is
// the error's text so far and `value` what was written at `path`, of which lists and objects are not shown.
[[nodiscard]] std::string cure_of(std::string_view path, std::string_view message, const nlohmann::json& value);

// The same without any part of the value, for places where secrets may stand.
[[nodiscard]] std::string cure_of_form(std::string_view message);

}  // namespace det::model
