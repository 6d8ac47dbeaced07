#pragma once

#include <string>
#include <string_view>

namespace det {

// UTF-8 text as terminals may have it: control characters but line ends and tabs, and those that turn the direction of
// what follows, are written as escapes ("\u001b"). For texts that quote what somebody wrote.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace det
