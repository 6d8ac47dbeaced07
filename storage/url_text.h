#pragma once

// Parts of URLs as storages want them. Pure.

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det::storage {

// Percent-encodes all but letters, digits, '-', '.', '_' and '~'; also '/' unless it is kept.
[[nodiscard]] std::string percent_encoded(std::string_view text, bool keeps_slashes);
// The other way round; `plus_is_space` as in forms. kUnavailable for what no encoder makes.
[[nodiscard]] Result<std::string> percent_decoded(std::string_view text, bool plus_is_space);
// "a=1&b=2", by name, without '?'.
[[nodiscard]] std::string query_text(const std::map<std::string, std::string>& query);

// "minio:9000" of "http://minio:9000".
[[nodiscard]] std::string without_scheme(std::string_view url);
// Whether `text` may be a host with or without a port: no character of it ends the host of a URL.
[[nodiscard]] bool is_host(std::string_view text);

}  // namespace det::storage
