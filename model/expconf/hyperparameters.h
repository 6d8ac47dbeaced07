#pragma once

// The hyperparameter section: a map from names to constants, ranges, choices or further maps. An object with a `type`
// is one of int, double, log, categorical, const; an object without is a map; everything else is a constant. Pure.

#include <cstdint>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"
#include "model/expconf/schema.h"

namespace det::model {

enum class HyperparameterKind : std::uint8_t { kConst, kInt, kDouble, kLog, kCategorical, kNested };

// The kind of a normalised or raw value. Only for values that passed check_hyperparameters.
[[nodiscard]] HyperparameterKind kind_of_hyperparameter(const nlohmann::json& value);

// What a parameter of each type is made of.
extern const ObjectSchema kConstParameterSchema;
extern const ObjectSchema kIntParameterSchema;
extern const ObjectSchema kDoubleParameterSchema;
extern const ObjectSchema kLogParameterSchema;
extern const ObjectSchema kCategoricalParameterSchema;

// Adds an error for every wrong parameter at or below `path`.
void check_hyperparameter(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
void check_hyperparameters(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
// Adds one for what upstream lets through and crashes on when it samples: a choice between nothing.
void check_hyperparameters_runnable(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
// Every parameter in its long form (5 -> {"type":"const","val":5}); numbers as they look after a JSON round trip of
// doubles.
void normalise_hyperparameter(nlohmann::json& value);
void normalise_hyperparameters(nlohmann::json& value);
// Both normalised. Maps unite name by name; of two parameters with one name `ours` is taken whole.
[[nodiscard]] nlohmann::json merge_hyperparameter(const nlohmann::json& ours, const nlohmann::json& theirs);
[[nodiscard]] nlohmann::json merge_hyperparameters(const nlohmann::json& ours, const nlohmann::json& theirs);

}  // namespace det::model
