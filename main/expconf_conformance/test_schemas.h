#pragma once

// The schemas that only conformance cases use: a small configuration with every feature of the engine. Constants.

#include <span>

#include "model/expconf/schema_catalogue.h"

namespace det::conformance {

[[nodiscard]] std::span<const model::NamedSchema> test_schemas();

}  // namespace det::conformance
