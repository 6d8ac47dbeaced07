// The fast reader of objects against the general one: the same texts are JSON, and hold the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "k8sclient/object_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using det::k8s::ManagedFields;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static det::k8s::ObjectReader all(ManagedFields::kKeep);
  static det::k8s::ObjectReader most(ManagedFields::kDrop);
  const auto read = all.read(text);
  const auto expected = nlohmann::json::parse(text, nullptr, false);
  if (read.has_value() == expected.is_discarded()) std::abort();
  if (read && *read != expected) std::abort();
  if (most.read(text).has_value() != read.has_value()) std::abort();
  return 0;
}
