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
// parse_milli for arithmetic: what is more than 64 bits hold counts as the most that they do. What pods ask for goes up
// to 2^63 units, and sums of it must not come out as less than nothing.
[[nodiscard]] std::optional<std::int64_t> parse_milli_clamped(const std::string& quantity);
[[nodiscard]] std::int64_t sum_clamped(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t difference_clamped(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t product_clamped(std::int64_t amount, std::int64_t times);

// Thousandths of `resource` for people: "2", "500m"; "64Gi" for memory and storage.
[[nodiscard]] std::string quantity_text(std::string_view resource, std::int64_t milli);

}  // namespace det
