#pragma once

// Quantities as Kubernetes writes them ("250m", "64Gi", "1e9"). Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace det {

// "250m", "2", "1.5" -> thousandths; "64Mi", "1e9", "512M" -> whole units, rounded up. nullopt when it is not a
// quantity, or more than 64 bits hold.
[[nodiscard]] std::optional<std::int64_t> parse_milli(const std::string& quantity);
[[nodiscard]] std::optional<std::int64_t> parse_whole(const std::string& quantity);

// Thousandths of `resource` for people: "2", "500m"; "64Gi" for memory and storage.
[[nodiscard]] std::string quantity_text(std::string_view resource, std::int64_t milli);

}  // namespace det
