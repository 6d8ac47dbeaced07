#pragma once

// The hyperparameter section: a map from names to constants, ranges, choices or further maps. An object with a `type`
// is one of int, double, log, categorical, const; an object without is a map; everything else is a constant. Pure.

#include <cstdint>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"

namespace det::model {

enum class HyperparameterKind : std::uint8_t { kConst, kInt, kDouble, kLog, kCategorical, kNested };

// The kind of a normalised or raw value. Only for values that passed check_hyperparameters.
[[nodiscard]] HyperparameterKind kind_of_hyperparameter(const nlohmann::json& value);

// Adds an error for every wrong parameter below `path`.
void check_hyperparameters(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
// Every parameter in its long form (5 -> {"type":"const","val":5}); numbers as they look after a JSON round trip of
// doubles.
void normalise_hyperparameters(nlohmann::json& value);
// Both normalised. Maps unite name by name; of two parameters with one name `ours` is taken whole.
[[nodiscard]] nlohmann::json merge_hyperparameters(const nlohmann::json& ours, const nlohmann::json& theirs);

}  // namespace det::model
