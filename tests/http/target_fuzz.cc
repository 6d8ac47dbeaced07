#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/encoding.h"
#include "http/target.h"

// What parse_target accepts is UTF-8 without NUL, and encoding its segments again gives the same target.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto target = det::http::parse_target({reinterpret_cast<const char*>(data), size});
  if (!target) return 0;
  std::string again;
  for (const auto& segment : target->segments) {
    if (!det::is_valid_utf8(segment) || segment.find('\0') != std::string::npos) std::abort();
    again += "/" + det::http::encode_component(segment);
  }
  // The slash keeps an empty last segment from reading as a trailing slash.
  const auto second = det::http::parse_target(again + "/");
  if (!second || second->segments != target->segments || second->path != target->path) std::abort();
  for (const auto& [name, value] : target->query.fields()) {
    const auto pair =
        det::http::parse_target("/?" + det::http::encode_component(name) + "=" + det::http::encode_component(value));
    if (!pair || pair->query.get(name) != value) std::abort();
  }
  return 0;
}
