#pragma once

// Reads the objects that an API server sends. A watch brings every change of every pod, and more than half of what a
// pod's JSON costs to read is who owns which of its fields; almost nobody asks for that. A value with a buffer that it
// uses again; not shared between threads.

#include <optional>
#include <string_view>

#include <simdjson.h>
#include <nlohmann/json.hpp>

#include "k8sclient/managed_fields.h"

namespace det::k8s {

class ObjectReader {
 public:
  explicit ObjectReader(ManagedFields managed_fields) : managed_fields_(managed_fields) {}

  // What `text` holds; nothing when it is not JSON. With kDrop, without the members named "managedFields".
  [[nodiscard]] std::optional<nlohmann::json> read(std::string_view text);

 private:
  ManagedFields managed_fields_;
  simdjson::dom::parser parser_;
};

}  // namespace det::k8s
