#pragma once

// Every part of the experiment configuration by the name of its schema file (`bind-mount.json` of
// `http://determined.ai/schemas/expconf/v0/bind-mount.json`), so that a part can be checked, completed and merged by
// itself. Programs may bring lists of their own. Pure.

#include <cstdint>
#include <expected>
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"
#include "model/expconf/schema.h"

namespace det::model {

// Where the defaults that are not constants come from.
struct RuntimeDefaults {
  std::uint64_t name_seed = 0;        // makes the name of an experiment that has none
  std::uint32_t experiment_seed = 0;  // where the configuration has none
};
using RuntimeFn = void (*)(nlohmann::json& value, const RuntimeDefaults& defaults);

struct NamedSchema {
  std::string_view file;
  Field value;
  std::string_view member = {};          // of the union `value`: only the variant with this tag
  const ObjectSchema* narrow = nullptr;  // what is checked, where `value` is wider
  RuntimeFn runtime = nullptr;           // after the constant defaults
};

// All schemas of the experiment configuration, version 0.
[[nodiscard]] std::span<const NamedSchema> experiment_schemas();
// kNotFound names a URL that is none of `schemas`.
[[nodiscard]] Result<const NamedSchema*> find_schema(std::span<const NamedSchema> schemas, std::string_view url);

enum class SchemaOp : std::uint8_t { kCheckSane, kCheckComplete, kDefault, kMerge };

// What `op` makes of `value`, or everything that is wrong with it. kCheckSane and kCheckComplete give `value` back
// (complete means sane and nothing missing); kDefault gives the normalised and completed value; kMerge that of `value`
// over `source`, with null for what neither has. kDefault and kMerge check first that what they get is sane.
[[nodiscard]] std::expected<nlohmann::json, FieldErrors> apply_schema(const NamedSchema& schema, SchemaOp op,
                                                                      const nlohmann::json& value,
                                                                      const nlohmann::json& source,
                                                                      const RuntimeDefaults& defaults);

// Name and seed of an experiment that has none.
void apply_runtime_defaults(nlohmann::json& experiment, const RuntimeDefaults& defaults);

}  // namespace det::model
