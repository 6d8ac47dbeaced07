#include "model/hyperparameters.h"

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "model/schema.h"

namespace det::model {
namespace {

using nlohmann::json;

void check_range(const json& value, std::string_view path, FieldErrors& errors) {
  const auto low = value.find("minval");
  const auto high = value.find("maxval");
  if (low == value.end() || high == value.end() || !low->is_number() || !high->is_number()) return;
  if (low->get<double>() >= high->get<double>()) {
    add_field_error(errors, path, "minval must be less than maxval");
  }
}

// Upstream lets an empty list through and crashes when it samples from it.
void check_choices(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.empty()) add_field_error(errors, path, "must have at least one value to choose from");
}

constexpr Field kType = {.name = "type", .type = Type::kString};
constexpr Field kCount = {.name = "count", .type = Type::kInteger, .minimum = 1};
constexpr Field kInt[] = {kType,
                          {.name = "minval", .type = Type::kInteger, .required = true},
                          {.name = "maxval", .type = Type::kInteger, .required = true},
                          kCount};
constexpr Field kDouble[] = {kType,
                             {.name = "minval", .type = Type::kNumber, .required = true},
                             {.name = "maxval", .type = Type::kNumber, .required = true},
                             kCount};
constexpr Field kLog[] = {kType,
                          {.name = "minval", .type = Type::kNumber, .required = true},
                          {.name = "maxval", .type = Type::kNumber, .required = true},
                          {.name = "base", .type = Type::kNumber, .above = 0, .required = true},
                          kCount};
constexpr Field kCategorical[] = {kType,
                                  {.name = "vals", .type = Type::kList, .required = true, .check = check_choices}};
constexpr Field kConst[] = {kType, {.name = "val"}};

constexpr ObjectSchema kIntSchema = {.fields = kInt, .check = check_range};
constexpr ObjectSchema kDoubleSchema = {.fields = kDouble, .check = check_range};
constexpr ObjectSchema kLogSchema = {.fields = kLog, .check = check_range};
constexpr ObjectSchema kCategoricalSchema = {.fields = kCategorical};
constexpr ObjectSchema kConstSchema = {.fields = kConst};

struct Kind {
  std::string_view name;
  HyperparameterKind kind;
  const ObjectSchema* schema;
};
constexpr std::array<Kind, 5> kKinds = {{{"const", HyperparameterKind::kConst, &kConstSchema},
                                         {"int", HyperparameterKind::kInt, &kIntSchema},
                                         {"double", HyperparameterKind::kDouble, &kDoubleSchema},
                                         {"log", HyperparameterKind::kLog, &kLogSchema},
                                         {"categorical", HyperparameterKind::kCategorical, &kCategoricalSchema}}};

const Kind* find_kind(const json& type) {
  for (const Kind& kind : kKinds) {
    if (type == kind.name) return &kind;
  }
  return nullptr;
}

bool is_map(const json& value) {
  return value.is_object() && !value.contains("type");
}

void check_one(const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.is_object()) return;
  if (is_map(value)) return check_hyperparameters(value, path, errors);
  const Kind* kind = find_kind(value.at("type"));
  if (kind == nullptr) {
    return add_field_error(errors, path,
                           R"(if a hyperparameter object's ["type"] is set, it must be one of "int", "double", "log", )"
                           R"(const", or "categorical")");
  }
  validate(*kind->schema, value, path, errors);
  if (kind->kind == HyperparameterKind::kConst && !value.contains("val")) {
    add_field_error(errors, path, R"(missing properties: "val")");
  }
}

// Numbers pass through doubles upstream: whole ones print without a fraction, and large integers lose their last
// digits.
void round_numbers(json& value) {
  if (value.is_structured()) {
    for (json& member : value) round_numbers(member);
    return;
  }
  if (!value.is_number()) return;
  const auto number = value.get<double>();
  const bool is_whole = std::trunc(number) == number && std::abs(number) < 9.2e18;
  const bool is_negative_zero = number == 0 && std::signbit(number);
  value = is_whole && !is_negative_zero ? json(static_cast<std::int64_t>(number)) : json(number);
}

void normalise_one(json& value) {
  if (is_map(value)) return normalise_hyperparameters(value);
  if (!value.is_object()) {
    round_numbers(value);
    json constant = {{"type", "const"}, {"val", nullptr}};
    constant["val"] = std::move(value);
    value = std::move(constant);
    return;
  }
  round_numbers(value);
  const auto count = value.find("count");
  if (count != value.end() && count->is_null()) value.erase(count);
}

}  // namespace

HyperparameterKind kind_of_hyperparameter(const json& value) {
  if (!value.is_object()) return HyperparameterKind::kConst;
  if (is_map(value)) return HyperparameterKind::kNested;
  const Kind* kind = find_kind(value.at("type"));
  return kind == nullptr ? HyperparameterKind::kConst : kind->kind;
}

void check_hyperparameters(const json& value, std::string_view path, FieldErrors& errors) {
  for (const auto& [name, parameter] : value.items()) check_one(parameter, child_path(path, name), errors);
}

void normalise_hyperparameters(json& value) {
  for (json& parameter : value) normalise_one(parameter);
}

json merge_hyperparameters(const json& ours, const json& theirs) {
  json merged = theirs;
  for (const auto& [name, parameter] : ours.items()) {
    const bool both_maps = merged.contains(name) && is_map(parameter) && is_map(merged[name]);
    merged[name] = both_maps ? merge_hyperparameters(parameter, merged[name]) : parameter;
  }
  return merged;
}

}  // namespace det::model
