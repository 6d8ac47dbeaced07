#pragma once

// Decodes the target of a request line: percent-encoding, path segments, query. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace det::http {

struct Target {
  std::string path;                   // "/a b/c", decoded, one trailing slash removed
  std::vector<std::string> segments;  // {"a b", "c"}; an encoded slash stays inside its segment
  Params query;                       // '+' and %20 are spaces; a key without '=' has an empty value
};

// kInvalidArgument for what does not start with '/', broken %-escapes, NUL and bytes that are not UTF-8.
[[nodiscard]] Result<Target> parse_target(std::string_view target);

// Percent-encodes everything but letters, digits and -._~: for building paths and queries.
[[nodiscard]] std::string encode_component(std::string_view text);

}  // namespace det::http
