#include "model/expconf/experiment_config.h"

#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_reader.h"
#include "model/expconf/config_readers.h"

namespace det::model {
namespace {

using nlohmann::json;

// Determined has given up HDFS; what a configuration of then says of it cannot be read any more, but for what to keep.
constexpr const char* kLegacyHdfsPath = "/legacy-hdfs-checkpoint-path";

void replace_hdfs(CheckpointStorageConfig& storage) {
  storage = {.type = "shared_fs",
             .host_path = kLegacyHdfsPath,
             .propagation = "rprivate",
             .save_experiment_best = storage.save_experiment_best,
             .save_trial_best = storage.save_trial_best,
             .save_trial_latest = storage.save_trial_latest};
}

CheckpointStorageConfig read_storage(JsonReader reader) {
  reader.require("type");
  CheckpointStorageConfig storage{.type = reader.string("type").value_or(""),
                                  .host_path = reader.string("host_path").value_or(""),
                                  .storage_path = reader.string("storage_path").value_or(""),
                                  .container_path = reader.string("container_path").value_or(""),
                                  .propagation = reader.string("propagation").value_or(""),
                                  .save_experiment_best = reader.integer("save_experiment_best").value_or(0),
                                  .save_trial_best = reader.integer("save_trial_best").value_or(1),
                                  .save_trial_latest = reader.integer("save_trial_latest").value_or(1)};
  if (storage.type == "hdfs") replace_hdfs(storage);
  return storage;
}

constexpr std::array<std::pair<std::string_view, AdaptiveMode>, 3> kModes = {
    {{"standard", AdaptiveMode::kStandard},
     {"aggressive", AdaptiveMode::kAggressive},
     {"conservative", AdaptiveMode::kConservative}}};

// A plain number, or an object with the unit as its only key.
std::optional<TrainingLength> read_length(JsonReader& reader, std::string_view key) {
  const json* value = reader.any(key);
  if (value == nullptr) return std::nullopt;
  TrainingLength length;
  if (value->is_object() && value->size() == 1) {
    length.unit = value->begin().key();
    value = &value->begin().value();
  }
  const auto units = whole_number(*value);
  if (!units) {
    reader.report(key, expected_text("object or integer or null", *value));
    return std::nullopt;
  }
  length.units = *units;
  return length;
}

std::vector<std::int64_t> read_integers(JsonReader& reader, std::string_view key) {
  std::vector<std::int64_t> numbers;
  const json* list = reader.any(key);
  if (list == nullptr) return numbers;
  for (const json& value : *list) {
    const auto number = whole_number(value);
    if (!list->is_array() || !number) {
      reader.report(key, "expected a list of integers");
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

SearcherConfig read_searcher(JsonReader reader) {
  reader.require("name");
  reader.require("metric");
  return {.name = reader.string("name").value_or(""),
          .metric = reader.string("metric").value_or(""),
          .smaller_is_better = reader.boolean("smaller_is_better").value_or(true),
          .max_trials = reader.integer("max_trials").value_or(1),
          .max_concurrent_trials = reader.integer("max_concurrent_trials").value_or(16),
          .num_rungs = reader.integer("num_rungs").value_or(1),
          .divisor = reader.number("divisor").value_or(4),
          .mode = reader.choice<AdaptiveMode>("mode", kModes).value_or(AdaptiveMode::kStandard),
          .max_rungs = reader.integer("max_rungs").value_or(5),
          .bracket_rungs = read_integers(reader, "bracket_rungs"),
          .time_metric = reader.string("time_metric").value_or(""),
          .max_time = reader.integer("max_time"),
          .max_length = read_length(reader, "max_length"),
          .stop_once = reader.boolean("stop_once").value_or(false),
          .source_trial_id = reader.integer("source_trial_id"),
          .source_checkpoint_uuid = reader.string("source_checkpoint_uuid")};
}

std::vector<LogPolicy> read_log_policies(JsonReader& root) {
  std::vector<LogPolicy> policies;
  for (JsonReader& reader : root.objects("log_policies")) {
    policies.push_back({.name = reader.string("name").value_or(""),
                        .pattern = reader.string("pattern").value_or(""),
                        .action = reader.string("action").value_or("")});
  }
  return policies;
}

std::optional<int> read_retention(JsonReader reader) {
  const auto days = reader.integer("log_retention_days", {.min = -1, .max = 32767});
  return days ? std::optional(static_cast<int>(*days)) : std::nullopt;
}

std::uint32_t read_seed(JsonReader reader) {
  reader.require("experiment_seed");
  return static_cast<std::uint32_t>(reader.integer("experiment_seed", {.min = 0, .max = 4294967295}).value_or(0));
}

}  // namespace

Result<ExperimentConfig> read_experiment_config(const json& document) {
  FieldErrors errors;
  JsonReader root(document, errors);
  for (const char* section : {"searcher", "checkpoint_storage", "reproducibility"}) root.require(section);
  ExperimentConfig config{.name = root.string("name").value_or(""),
                          .description = root.string("description").value_or(""),
                          .labels = root.strings("labels").value_or(std::vector<std::string>()),
                          .workspace = root.string("workspace").value_or(""),
                          .project = root.string("project").value_or(""),
                          .debug = root.boolean("debug").value_or(false),
                          .max_restarts = root.integer("max_restarts", {.min = 0}).value_or(5),
                          .preemption_timeout = std::chrono::seconds(root.integer("preemption_timeout").value_or(3600)),
                          .experiment_seed = read_seed(root.object("reproducibility")),
                          .checkpoint_policy = root.string("checkpoint_policy").value_or("best"),
                          .log_retention_days = read_retention(root.object("retention_policy")),
                          .resources = read_resources(root.object("resources"), "slots_per_trial"),
                          .environment = read_environment(root.object("environment")),
                          .searcher = read_searcher(root.object("searcher")),
                          .checkpoint_storage = read_storage(root.object("checkpoint_storage")),
                          .bind_mounts = read_bind_mounts(root),
                          .log_policies = read_log_policies(root)};
  if (errors.empty()) return config;
  Error error = with_context(joined_error(errors), "the stored configuration cannot be read");
  error.code = ErrorCode::kDataLoss;
  return std::unexpected(std::move(error));
}

Result<SearcherConfig> read_searcher_config(const json& section) {
  FieldErrors errors;
  SearcherConfig config = read_searcher(JsonReader(section, errors, "searcher"));
  if (errors.empty()) return config;
  return std::unexpected(joined_error(errors));
}

std::string config_hash(const json& document) {
  return sha256_hex(document.dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace det::model
