#include "operator/experiment/live_settings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "model/expconf/config_changes.h"
#include "model/expconf/secret_fields.h"
#include "model/expconf/sections.h"
#include "store/experiments/experiment_pool.h"

namespace det::op {
namespace {

using nlohmann::json;

struct LiveField {
  const char* section;
  const char* name;
};
constexpr std::array kSettings = {LiveField{"resources", "priority"},
                                  LiveField{"resources", "weight"},
                                  LiveField{"resources", "max_slots"},
                                  LiveField{"resources", store::kPoolSetting},
                                  LiveField{"searcher", "max_concurrent_trials"},
                                  LiveField{"checkpoint_storage", "save_experiment_best"},
                                  LiveField{"checkpoint_storage", "save_trial_best"},
                                  LiveField{"checkpoint_storage", "save_trial_latest"}};
constexpr std::array kTexts = {"name", "description", "labels"};

std::string path_of(const std::string& name) {
  const auto* const field = std::ranges::find(kSettings, name, &LiveField::name);
  return field == kSettings.end() ? name : std::string(field->section) + "." + name;
}

// `config` without what may change: what is left has to stay as it was.
json fixed_part(json config) {
  for (const char* name : kTexts) config.erase(name);
  for (const LiveField& field : kSettings) {
    const auto section = config.find(field.section);
    if (section == config.end() || !section->is_object()) continue;
    section->erase(field.name);
    if (section->empty()) config.erase(section);
  }
  return config;
}

// The definition of Experiments allows 64 bits.
int clamped(std::int64_t number) {
  return static_cast<int>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<int>::max()));
}

std::optional<int> number_of(const json& object, const char* name) {
  const json& value = get_any(object, name);
  if (!value.is_number_integer()) return std::nullopt;
  return clamped(value.get<std::int64_t>());
}

// How many trials at once the search was accepted with, where it has such a number.
std::optional<int> accepted_width(const model::SearcherConfig& searcher) {
  if (searcher.name == "single" || searcher.name == "custom") return std::nullopt;
  return clamped(searcher.max_concurrent_trials);
}

}  // namespace

int queue_priority(const model::ExperimentConfig& frozen, const json& live) {
  return number_of(live, "priority").value_or(frozen.resources.priority);
}

json live_settings(const json& accepted, const json& now) {
  json changed = json::object();
  for (const LiveField& field : kSettings) {
    const json& value = get_any(get_any(now, field.section), field.name);
    const bool is_meant = field.name == store::kPoolSetting
                              ? !get_string(get_any(now, field.section), field.name).empty()
                              : value.is_number();
    if (is_meant && value != get_any(get_any(accepted, field.section), field.name)) {
      changed[field.name] = value;
    }
  }
  return changed;
}

AllowedSettings allow_settings(const json& wished, const json& before, const model::ConfigPolicies& policies) {
  AllowedSettings allowed{.live = wished, .objection = {}};
  std::string refused;
  for (const auto& [name, value] : wished.items()) {
    const json& now = get_any(before, name);
    if (now == value) continue;
    const Status may = model::check_setting(policies, name, value);
    if (may) continue;
    if (now.is_null()) {
      allowed.live.erase(name);
    } else {
      allowed.live[name] = now;
    }
    refused += (refused.empty() ? "" : "\n") + ("spec.config." + path_of(name) + ": ") + may.error().message;
  }
  if (refused.empty()) return allowed;
  allowed.objection = Refusal{.reason = "ConfigPolicy", .message = std::move(refused), .may_pass = false};
  return allowed;
}

std::optional<Refusal> object_to_changes(const json& accepted, const json& now, const json& frozen, bool has_template) {
  if (accepted == now || !accepted.is_object() || !now.is_object()) return std::nullopt;
  // What was made or continued by REST has masks in its object; the same manifest may have the secrets.
  const auto fields =
      model::changed_fields(fixed_part(model::fill_masks(accepted, frozen)), fixed_part(model::fill_masks(now, frozen)),
                            {.schema = model::kExperimentPartSchema, .document = frozen, .has_template = has_template});
  if (fields.empty()) return std::nullopt;
  return changed_after_acceptance(fields, "experiment");
}

std::optional<Refusal> objection_to_removed(const json& accepted, const json& now) {
  if (accepted == now || !accepted.is_object() || !now.is_object()) return std::nullopt;
  std::string fields;
  const auto look = [&fields](const json& before, const json& after, const char* name, const std::string& path) {
    const json& value = get_any(before, name);
    const bool was_empty = value.is_null() || value == "" || (value.is_structured() && value.empty());
    if (was_empty || !get_any(after, name).is_null()) return;
    fields += (fields.empty() ? "" : ", ") + ("spec.config." + path);
  };
  for (const char* name : kTexts) look(accepted, now, name, name);
  for (const LiveField& field : kSettings) {
    look(get_any(accepted, field.section), get_any(now, field.section), field.name,
         std::string(field.section) + "." + field.name);
  }
  if (fields.empty()) return std::nullopt;
  return Refusal{
      .reason = "FieldRemoved",
      .message = fields + ": removed after acceptance, which changes nothing; write the value that you want instead",
      .may_pass = false};
}

store::RunLimits run_limits(const model::ExperimentConfig& frozen, const json& live, bool is_widened) {
  store::RunLimits limits;
  limits.max_slots = number_of(live, "max_slots");
  if (!limits.max_slots && frozen.resources.max_slots) limits.max_slots = clamped(*frozen.resources.max_slots);
  const auto accepted = accepted_width(frozen.searcher);
  const auto wanted = number_of(live, "max_concurrent_trials");
  const auto limit = wanted ? wanted : accepted;
  if (limit.value_or(0) > 0 && (is_widened || limit != accepted)) limits.max_trials = limit;
  return limits;
}

}  // namespace det::op
