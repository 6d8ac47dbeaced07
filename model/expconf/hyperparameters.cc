#include "model/expconf/hyperparameters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "model/expconf/schema.h"

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

// Exponents with which `base` stays a number, in words.
std::string good_exponents(double base) {
  double limit = std::trunc(std::log(std::numeric_limits<double>::max()) / std::log(base));
  if (!std::isfinite(std::pow(base, limit))) limit -= std::copysign(1, limit);
  const std::string end = std::to_string(static_cast<std::int64_t>(limit));
  return base > 1 ? "exponents up to " + end + " work" : "exponents from " + end + " on work";
}

// What is drawn from a range must be a number: infinity becomes null in JSON, for the trial and in the search's log.
void check_reach(const json& value, const std::string& path, FieldErrors& errors) {
  const auto number_at = [&](const char* name) { return value.contains(name) && value.at(name).is_number(); };
  const json type = value.value("type", json());
  const bool is_log = type == "log";
  if ((!is_log && type != "double") || !number_at("minval") || !number_at("maxval")) return;
  const auto low = value.at("minval").get<double>();
  const auto high = value.at("maxval").get<double>();
  // A grid multiplies the width by its number of values, and halves the sum of both ends.
  const bool is_of_grid = number_at("count");
  const double values = is_of_grid ? std::max(value.at("count").get<double>(), 1.0) : 1;
  const bool is_finite = std::isfinite((high - low) * values) && (!is_of_grid || std::isfinite(high + low));
  if (!is_finite) {
    add_field_error(errors, path,
                    "the range from minval " + value.at("minval").dump() + " to maxval " + value.at("maxval").dump() +
                        " is too wide to be counted in: ends between -1e300 and 1e300 work");
  }
  if (!is_log || !number_at("base")) return;
  const auto base = value.at("base").get<double>();
  if (base <= 0) return;  // refused for that
  for (const char* end : {"minval", "maxval"}) {
    const auto exponent = value.at(end).get<double>();
    if (std::isfinite(std::pow(base, exponent))) continue;
    add_field_error(errors, child_path(path, end),
                    value.at("base").dump() + "^" + value.at(end).dump() +
                        " is beyond all numbers: minval and maxval are exponents of base, so that -4 to -1 with base "
                        "10 is 0.0001 to 0.1; with base " +
                        value.at("base").dump() + " " + good_exponents(base));
  }
}

constexpr std::array<std::string_view, 5> kTypes = {"const", "int", "double", "log", "categorical"};

constexpr Field type_field(std::size_t index) {
  return {.name = "type", .type = Type::kString, .words = std::span(kTypes).subspan(index, 1), .required = true};
}
constexpr Field number(std::string_view name, Type type = Type::kNumber) {
  return {.name = name, .type = type, .required = true};
}
constexpr Field kCount = {.name = "count", .type = Type::kInteger, .minimum = 1, .omitted_when_null = true};
constexpr Field kConst[] = {type_field(0), {.name = "val", .required = true}};
constexpr Field kInt[] = {type_field(1), number("minval", Type::kInteger), number("maxval", Type::kInteger), kCount};
constexpr Field kDouble[] = {type_field(2), number("minval"), number("maxval"), kCount};
constexpr Field kLog[] = {type_field(3),
                          number("minval"),
                          number("maxval"),
                          {.name = "base", .type = Type::kNumber, .above = 0, .required = true},
                          kCount};
constexpr Field kCategorical[] = {type_field(4), {.name = "vals", .type = Type::kList, .required = true}};

struct Kind {
  std::string_view name;
  HyperparameterKind kind;
  const ObjectSchema* schema;
};
constexpr std::array<Kind, 5> kKinds = {
    {{"const", HyperparameterKind::kConst, &kConstParameterSchema},
     {"int", HyperparameterKind::kInt, &kIntParameterSchema},
     {"double", HyperparameterKind::kDouble, &kDoubleParameterSchema},
     {"log", HyperparameterKind::kLog, &kLogParameterSchema},
     {"categorical", HyperparameterKind::kCategorical, &kCategoricalParameterSchema}}};

const Kind* find_kind(const json& type) {
  for (const Kind& kind : kKinds) {
    if (type == kind.name) return &kind;
  }
  return nullptr;
}

bool is_map(const json& value) {
  return value.is_object() && !value.contains("type");
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

}  // namespace

HyperparameterKind kind_of_hyperparameter(const json& value) {
  if (!value.is_object()) return HyperparameterKind::kConst;
  if (is_map(value)) return HyperparameterKind::kNested;
  const Kind* kind = find_kind(value.at("type"));
  return kind == nullptr ? HyperparameterKind::kConst : kind->kind;
}

void check_hyperparameter(const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.is_object()) return;
  if (is_map(value)) return check_hyperparameters(value, path, errors);
  const Kind* kind = find_kind(value.at("type"));
  if (kind == nullptr) {
    return add_field_error(errors, path,
                           R"(if a hyperparameter object's ["type"] is set, it must be one of "int", "double", "log", )"
                           R"(const", or "categorical")");
  }
  validate(*kind->schema, value, path, errors);
}

void check_hyperparameters(const json& value, std::string_view path, FieldErrors& errors) {
  for (const auto& [name, parameter] : value.items()) check_hyperparameter(parameter, child_path(path, name), errors);
}

void check_hyperparameters_runnable(const json& value, std::string_view path, FieldErrors& errors) {
  for (const auto& [name, parameter] : value.items()) {
    if (!parameter.is_object()) continue;
    const std::string at = child_path(path, name);
    if (is_map(parameter)) check_hyperparameters_runnable(parameter, at, errors);
    check_reach(parameter, at, errors);
    const bool is_choice = parameter.contains("type") && parameter.at("type") == "categorical";
    if (is_choice && parameter.value("vals", json()) == json::array()) {
      add_field_error(errors, child_path(at, "vals"), "must have at least one value to choose from");
    }
  }
}

void normalise_hyperparameter(json& value) {
  if (is_map(value)) return normalise_hyperparameters(value);
  round_numbers(value);
  if (!value.is_object()) {
    json constant = {{"type", "const"}, {"val", nullptr}};
    constant["val"] = std::move(value);
    value = std::move(constant);
    return;
  }
  const auto count = value.find("count");
  if (count != value.end() && count->is_null()) value.erase(count);
}

void normalise_hyperparameters(json& value) {
  for (json& parameter : value) normalise_hyperparameter(parameter);
}

json merge_hyperparameter(const json& ours, const json& theirs) {
  return is_map(ours) && is_map(theirs) ? merge_hyperparameters(ours, theirs) : ours;
}

json merge_hyperparameters(const json& ours, const json& theirs) {
  json merged = theirs;
  for (const auto& [name, parameter] : ours.items()) {
    merged[name] = merged.contains(name) ? merge_hyperparameter(parameter, merged[name]) : parameter;
  }
  return merged;
}

constinit const ObjectSchema kConstParameterSchema = {.fields = kConst};
constinit const ObjectSchema kIntParameterSchema = {.fields = kInt, .check = check_range};
constinit const ObjectSchema kDoubleParameterSchema = {.fields = kDouble, .check = check_range};
constinit const ObjectSchema kLogParameterSchema = {.fields = kLog, .check = check_range};
constinit const ObjectSchema kCategoricalParameterSchema = {.fields = kCategorical};

}  // namespace det::model
