#pragma once

// Where the values of a YAML text stand, so that an error about a field can say the line. Pure; any thread.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_reader.h"

namespace det {

// Line (from 1) of each value by its dotted path ("resources.devices[0].mode"): for a member of a map the line of its
// key, for an item of a list that of the item. What a merge key or an alias brings stands where that is written. Empty
// for a text that is no YAML.
using YamlLines = std::map<std::string, int, std::less<>>;
[[nodiscard]] YamlLines yaml_lines(std::string_view text);

// The line of `path`, or of the nearest value around it that has one.
[[nodiscard]] std::optional<int> line_of(const YamlLines& lines, std::string_view path);

// Appends " (line N)" to each message. An error about unknown keys gets the line of the first of them.
void add_lines(FieldErrors& errors, std::string_view yaml);

}  // namespace det
