#include <array>

#include <nlohmann/json.hpp>

#include "model/sections.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kModes = {"standard", "aggressive", "conservative"};

// A plain number (older versions' unit-less form) or a length of at least one.
void check_max_length(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.is_object()) return validate(kLengthSchema, value, path, errors);
  const auto number = whole_number(value);
  if (!number || *number < 0) add_field_error(errors, path, expected_text("object or integer or null", value));
}

constexpr Field kMaxLength = {.name = "max_length", .omitted_when_null = true, .check = check_max_length};
constexpr Field kStopOnce = {.name = "stop_once", .type = Type::kBoolean, .omitted_when_null = true};
constexpr Field kMaxTrials = {
    .name = "max_trials", .type = Type::kInteger, .minimum = 1, .required = true, .eventually = true};
constexpr Field kMaxConcurrent = {
    .name = "max_concurrent_trials", .type = Type::kInteger, .minimum = 0, .fallback = "16"};
constexpr Field kDivisor = {.name = "divisor", .type = Type::kNumber, .above = 1, .fallback = "4"};
constexpr Field kTimeMetric = {.name = "time_metric", .type = Type::kString};
constexpr Field kMaxTime = {.name = "max_time", .type = Type::kInteger, .minimum = 1};

constexpr Field kSingle[] = {kMaxLength};
constexpr Field kRandom[] = {kMaxTrials, kMaxConcurrent, kMaxLength};
constexpr Field kGrid[] = {kMaxConcurrent, kMaxLength};
constexpr Field kAsyncHalving[] = {
    {.name = "num_rungs", .type = Type::kInteger, .minimum = 1, .required = true, .eventually = true},
    kMaxTrials,
    kDivisor,
    kMaxConcurrent,
    kTimeMetric,
    kMaxTime,
    kMaxLength,
    kStopOnce};
constexpr Field kAdaptiveAsha[] = {
    kMaxTrials,
    {.name = "mode", .type = Type::kString, .words = kModes, .fallback = R"("standard")"},
    kDivisor,
    {.name = "max_rungs", .type = Type::kInteger, .minimum = 1, .fallback = "5"},
    {.name = "bracket_rungs", .type = Type::kList, .element = Type::kInteger, .fallback = "[]"},
    kMaxConcurrent,
    kTimeMetric,
    kMaxTime,
    kMaxLength,
    kStopOnce};
// Gone upstream as well: their fields are not looked at, the whole is refused below.
constexpr Field kAnyOfTheRemoved[] = {{.name = "budget"},        {.name = "mode"},      {.name = "divisor"},
                                      {.name = "max_rungs"},     {.name = "num_rungs"}, {.name = "train_stragglers"},
                                      {.name = "bracket_rungs"}, {.name = "unit"},      {.name = "max_length"},
                                      {.name = "max_trials"}};

void refuse_removed(const json& value, std::string_view path, FieldErrors& errors) {
  add_field_error(errors, child_path(path, "name"),
                  "the '" + value.at("name").get<std::string>() +
                      "' searcher has been removed and is not valid for new experiments");
}

void refuse_later(const json& value, std::string_view path, FieldErrors& errors) {
  add_field_error(errors, child_path(path, "name"),
                  "the searcher '" + value.at("name").get<std::string>() +
                      "' cannot run in this version, only 'single' can so far");
}

void require_time(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.at("time_metric").is_null() || value.at("max_time").is_null()) {
    add_field_error(
        errors, path,
        "the `" + value.at("name").get<std::string>() + "` searcher requires `max_time` and `time_metric` to be set");
  }
  refuse_later(value, path, errors);
}

constexpr Variant kVariants[] = {
    {.tag = "single", .fields = kSingle},
    {.tag = "random", .fields = kRandom, .check_complete = refuse_later},
    {.tag = "grid", .fields = kGrid, .check_complete = refuse_later},
    {.tag = "async_halving", .fields = kAsyncHalving, .check_complete = require_time},
    {.tag = "adaptive_asha", .fields = kAdaptiveAsha, .check_complete = require_time},
    {.tag = "custom", .fields = kAnyOfTheRemoved, .check_complete = refuse_removed},
    {.tag = "adaptive", .fields = kAnyOfTheRemoved, .check_complete = refuse_removed},
    {.tag = "adaptive_simple", .fields = kAnyOfTheRemoved, .check_complete = refuse_removed},
    {.tag = "sync_halving", .fields = kAnyOfTheRemoved, .check_complete = refuse_removed},
};

constexpr Field kFields[] = {
    {.name = "name", .type = Type::kString},
    {.name = "metric", .type = Type::kString, .eventually = true},
    {.name = "smaller_is_better", .type = Type::kBoolean, .fallback = "true"},
    {.name = "source_trial_id", .type = Type::kInteger},
    {.name = "source_checkpoint_uuid", .type = Type::kString},
};

}  // namespace

constinit const ObjectSchema kSearcherSchema = {
    .fields = kFields,
    .tag = "name",
    .variants = kVariants,
    .tag_error =
        R"(is not an object where object["name"] is one of 'single', 'random', 'grid', 'custom', or 'adaptive_asha')"};

}  // namespace det::model
