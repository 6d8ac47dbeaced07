#include <array>
#include <string>
#include <utility>

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

// What stands in for each of them.
struct Successor {
  std::string_view name;
  std::string_view instead;
};
constexpr Successor kSuccessors[] = {
    {"custom", "write `single`, `random`, `grid`, `async_halving` or `adaptive_asha`"},
    {"adaptive", "write `adaptive_asha` with `max_trials`, `max_time` and `time_metric`"},
    {"adaptive_simple", "write `adaptive_asha` with `max_trials`, `max_time` and `time_metric`"},
    {"sync_halving", "write `async_halving` with `num_rungs`, `max_trials`, `max_time` and `time_metric`"},
};

void refuse_removed(const json& value, std::string_view path, FieldErrors& errors) {
  const auto& name = value.at("name").get_ref<const std::string&>();
  std::string text = "the '" + name + "' searcher has been removed and is not valid for new experiments";
  for (const Successor& successor : kSuccessors) {
    if (successor.name == name) text += ": " + std::string(successor.instead);
  }
  add_field_error(errors, child_path(path, "name"), std::move(text));
}

// `max_length: {batches: 640}` says both what `time_metric` and `max_time` say.
std::string instead_of_length(const json& length) {
  if (!length.is_object() || length.size() != 1) return "";
  const std::string& unit = length.begin().key();
  const std::string units = length.begin().value().dump();
  return "; instead of `max_length: {" + unit + ": " + units + "}` write `time_metric: " + unit +
         "` and `max_time: " + units + "`";
}

void require_time(const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.at("time_metric").is_null() && !value.at("max_time").is_null()) return;
  // Configurations of before 0.38 count by length; written half and half they are a mistake.
  const bool is_by_length = !value.value("max_length", json()).is_null();
  if (is_by_length && value.at("time_metric").is_null() && value.at("max_time").is_null()) return;
  add_field_error(errors, path,
                  "the `" + value.at("name").get<std::string>() +
                      "` searcher requires `max_time` and `time_metric` to be set" +
                      instead_of_length(value.value("max_length", json())));
}

// Words of configurations from before 0.12, when training was counted in steps of 100 batches.
void explain_steps(const json& value, std::string_view path, FieldErrors& errors) {
  for (const char* word : {"max_steps", "target_trial_steps", "step_budget"}) {
    if (!value.contains(word)) continue;
    add_field_error(errors, child_path(path, word),
                    "training is no longer counted in steps of 100 batches: write `max_length: {batches: N}`, or for "
                    "`async_halving` and `adaptive_asha` `time_metric: batches` and `max_time: N`");
  }
}

constexpr Variant kVariants[] = {
    {.tag = "single", .fields = kSingle},
    {.tag = "random", .fields = kRandom},
    {.tag = "grid", .fields = kGrid},
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
    .check = explain_steps,
    .tag = "name",
    .variants = kVariants,
    .tag_error =
        R"(is not an object where object["name"] is one of 'single', 'random', 'grid', 'custom', or 'adaptive_asha')"};

}  // namespace det::model
