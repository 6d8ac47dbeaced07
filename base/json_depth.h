#pragma once

#include <string_view>

namespace det {

// Whether the JSON `text` nests objects and lists more than `limit` deep. Printing and copying of JSON recurse, so what
// comes from outside is asked this before anything is built of it. Any text will do. Pure.
[[nodiscard]] bool is_nested_deeper(std::string_view text, int limit);

}  // namespace det
