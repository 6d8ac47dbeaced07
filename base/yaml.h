#pragma once

// YAML text -> JSON value, by the rules people's experiment files were written for: YAML 1.1 scalars as Go's reader
// resolves them (yes/no/on/off/y/n are booleans, 0x10 and 017 integers, 1e3 a number, quoted scalars stay strings).
// Pure; any thread.

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace det {

// The one document in `text`; an empty text is null. kInvalidArgument, with the line number, for: bad syntax, bytes
// that are not UTF-8, a second document, a key used twice, NaN and infinities (JSON has none), unknown tags, undefined
// or self-containing anchors, more than 100 levels, more than 8 MiB of text, and aliases that expand to more than
// 200,000 values or 8 MiB. Keys keep their spelling as strings; merge keys (<<) are applied; whole numbers written
// as 1.0 or 1e3 become integers, as they do on their way through Go. What is not valid JSON text by accident (tabs,
// flow style) may still be valid YAML: JSON is accepted too.
[[nodiscard]] Result<nlohmann::json> parse_yaml(std::string_view text);

}  // namespace det
