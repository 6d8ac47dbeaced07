#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "model/expconf/sections.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kModes = {"standard", "aggressive", "conservative"};
constexpr std::array<std::string_view, 3> kUnits = {"batches", "records", "epochs"};

// Zero would never end; upstream takes every number.
void check_time(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.get<double>() < 1) add_field_error(errors, path, "must be >= 1 but found " + value.dump());
}

// The older methods' lengths have a unit.
constexpr Field old_length(std::string_view name) {
  return {.name = name,
          .type = Type::kObject,
          .object = &kPositiveLengthSchema,
          .eventually = name == "budget",
          .omitted_when_null = name != "budget",
          .merge = take_ours};
}

constexpr Field kMaxLength = {
    .name = "max_length", .omitted_when_null = true, .check = check_searcher_length, .merge = take_ours};
constexpr Field kStopOnce = {.name = "stop_once", .type = Type::kBoolean, .omitted_when_null = true};
constexpr Field kMaxTrials = {.name = "max_trials", .type = Type::kInteger, .minimum = 1, .eventually = true};
constexpr Field kMaxConcurrent = {
    .name = "max_concurrent_trials", .type = Type::kInteger, .minimum = 0, .fallback = "16"};
constexpr Field kDivisor = {.name = "divisor", .type = Type::kNumber, .above = 1, .fallback = "4"};
constexpr Field kTimeMetric = {.name = "time_metric", .type = Type::kString};
constexpr Field kMaxTime = {.name = "max_time", .type = Type::kInteger, .check_runnable = check_time};
constexpr Field kNumRungs = {.name = "num_rungs", .type = Type::kInteger, .minimum = 1, .eventually = true};
constexpr Field kMode = {.name = "mode", .type = Type::kString, .words = kModes, .fallback = R"("standard")"};
constexpr Field kMaxRungs = {.name = "max_rungs", .type = Type::kInteger, .minimum = 1, .fallback = "5"};
constexpr Field kBracketRungs = {
    .name = "bracket_rungs", .type = Type::kList, .element = Type::kInteger, .fallback = "[]"};
constexpr Field kStragglers = {.name = "train_stragglers", .type = Type::kBoolean, .fallback = "true"};

constexpr Field kSingle[] = {kMaxLength};
constexpr Field kRandom[] = {kMaxTrials, kMaxConcurrent, kMaxLength};
constexpr Field kGrid[] = {kMaxConcurrent, kMaxLength};
constexpr Field kAsyncHalving[] = {kNumRungs,   kMaxTrials, kDivisor,   kMaxConcurrent,
                                   kTimeMetric, kMaxTime,   kMaxLength, kStopOnce};
constexpr Field kAdaptiveAsha[] = {kMaxTrials,     kMode,       kDivisor, kMaxRungs,  kBracketRungs,
                                   kMaxConcurrent, kTimeMetric, kMaxTime, kMaxLength, kStopOnce};
constexpr Field kCustom[] = {{.name = "unit", .type = Type::kString, .words = kUnits}};
// Gone upstream as well: still read, and then refused.
constexpr Field kAdaptive[] = {old_length("budget"),    kMode, kDivisor, kMaxRungs, kBracketRungs, kStragglers,
                               old_length("max_length")};
constexpr Field kAdaptiveSimple[] = {
    {.name = "max_trials", .type = Type::kInteger, .minimum = 1, .maximum = 2000, .eventually = true},
    kMode,
    kDivisor,
    kMaxRungs,
    old_length("max_length")};
constexpr Field kSyncHalving[] = {kNumRungs, old_length("budget"), kDivisor, kStragglers, old_length("max_length")};

// What stands in for each of them.
struct Successor {
  std::string_view name;
  std::string_view instead;
};
constexpr Successor kSuccessors[] = {
    {"adaptive", "write `adaptive_asha` with `max_trials`, `max_time` and `time_metric`"},
    {"adaptive_simple", "write `adaptive_asha` with `max_trials`, `max_time` and `time_metric`"},
    {"sync_halving", "write `async_halving` with `num_rungs`, `max_trials`, `max_time` and `time_metric`"},
};

void refuse_removed(const std::string& name, std::string_view path, FieldErrors& errors) {
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
  const auto is_set = [&](const char* name) { return !value.value(name, json()).is_null(); };
  if (is_set("time_metric") && is_set("max_time")) return;
  // Configurations of before 0.38 count by length; written half and half they are a mistake.
  if (is_set("max_length") && !is_set("time_metric") && !is_set("max_time")) return;
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
    {.tag = "async_halving", .fields = kAsyncHalving},
    {.tag = "adaptive_asha", .fields = kAdaptiveAsha},
    {.tag = "custom", .fields = kCustom, .is_open = true},
    {.tag = "adaptive", .fields = kAdaptive, .is_gone = true},
    {.tag = "adaptive_simple", .fields = kAdaptiveSimple, .is_gone = true},
    {.tag = "sync_halving", .fields = kSyncHalving, .is_gone = true},
};

constexpr Field kFields[] = {
    {.name = "name", .type = Type::kString},
    {.name = "metric", .type = Type::kString, .eventually = true},
    {.name = "smaller_is_better", .type = Type::kBoolean, .fallback = "true"},
    {.name = "source_trial_id", .type = Type::kInteger},
    {.name = "source_checkpoint_uuid", .type = Type::kString},
};

}  // namespace

// A plain number (older versions' unit-less form) or a length of at least one.
void check_searcher_length(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.is_object()) return validate(kPositiveLengthSchema, value, path, errors);
  const auto number = whole_number(value);
  if (!number) return add_field_error(errors, path, expected_text("object or integer or null", value));
  if (*number < 0) add_field_error(errors, path, "must be >= 0 but found " + value.dump());
}

void check_current_searcher(const json& searcher, std::string_view path, FieldErrors& errors) {
  const auto it = searcher.is_object() ? searcher.find("name") : searcher.end();
  if (it == searcher.end() || !it->is_string()) return;
  const auto name = it->get<std::string>();
  if (name == "async_halving" || name == "adaptive_asha") require_time(searcher, path, errors);
  if (std::ranges::find(kSuccessors, name, &Successor::name) != std::end(kSuccessors)) {
    refuse_removed(name, path, errors);
  }
}

constinit const ObjectSchema kSearcherSchema = {
    .fields = kFields,
    .check = explain_steps,
    .tag = "name",
    .variants = kVariants,
    .tag_error =
        R"(is not an object where object["name"] is one of 'single', 'random', 'grid', 'custom', or 'adaptive_asha')"};

}  // namespace det::model
