#pragma once

#include <cstdint>

namespace det::k8s {

// Whether metadata.managedFields of an object is read: who owns which of its fields.
enum class ManagedFields : std::uint8_t { kKeep, kDrop };

}  // namespace det::k8s
