#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/yaml.h"

// Whatever parse_yaml accepts must be printable JSON that reads back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto value = det::parse_yaml({reinterpret_cast<const char*>(data), size});
  if (value && nlohmann::json::parse(value->dump()) != *value) std::abort();
  return 0;
}
