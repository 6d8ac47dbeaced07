#include "model/taskconf/task_config.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/duration_text.h"
#include "base/json_reader.h"
#include "model/expconf/config_readers.h"

namespace det::model {
namespace {

using nlohmann::json;

struct Words {
  TaskType type;
  std::string_view task;
  std::string_view object;
};
constexpr std::array<Words, 6> kWords = {{{TaskType::kNotebook, "NOTEBOOK", "Notebook"},
                                          {TaskType::kShell, "SHELL", "Shell"},
                                          {TaskType::kCommand, "COMMAND", "Command"},
                                          {TaskType::kTensorBoard, "TENSORBOARD", "TensorBoard"},
                                          {TaskType::kGeneric, "GENERIC", "Generic"},
                                          {TaskType::kCheckpointGc, "CHECKPOINT_GC", "CheckpointGC"}}};

std::string_view word_of(TaskType type, std::string_view Words::* word) {
  for (const Words& words : kWords) {
    if (words.type == type) return words.*word;
  }
  return "";
}

std::optional<TaskType> type_of(std::string_view text, std::string_view Words::* word) {
  for (const Words& words : kWords) {
    if (words.*word == text) return words.type;
  }
  return std::nullopt;
}

std::optional<std::chrono::seconds> read_idle_timeout(JsonReader& root) {
  const auto text = root.string("idle_timeout");
  if (!text) return std::nullopt;
  const auto duration = parse_duration_text(*text);
  if (duration) return std::chrono::ceil<std::chrono::seconds>(*duration);
  root.report("idle_timeout", duration.error().message);
  return std::nullopt;
}

}  // namespace

std::string_view task_word(TaskType type) {
  return word_of(type, &Words::task);
}

std::optional<TaskType> parse_task_word(std::string_view word) {
  return type_of(word, &Words::task);
}

std::string_view object_word(TaskType type) {
  return word_of(type, &Words::object);
}

std::optional<TaskType> parse_object_word(std::string_view word) {
  return type_of(word, &Words::object);
}

Result<TaskConfig> read_task_config(const json& document) {
  FieldErrors errors;
  JsonReader root(document, errors);
  for (const char* section : {"resources", "environment"}) root.require(section);
  TaskConfig config{.description = root.string("description").value_or(""),
                    .entrypoint = root.strings("entrypoint").value_or(std::vector<std::string>()),
                    .resources = read_resources(root.object("resources"), "slots"),
                    .environment = read_environment(root.object("environment")),
                    .bind_mounts = read_bind_mounts(root),
                    .idle_timeout = read_idle_timeout(root),
                    .notebook_idle_type = root.string("notebook_idle_type").value_or(""),
                    .tensorboard_args = root.strings("tensorboard_args").value_or(std::vector<std::string>()),
                    .work_dir = root.string("work_dir"),
                    .debug = root.boolean("debug").value_or(false),
                    .preemption_timeout = std::chrono::seconds(root.integer("preemption_timeout").value_or(3600)),
                    .log_retention_days = std::nullopt};
  if (errors.empty()) return config;
  Error error = with_context(joined_error(errors), "the stored configuration cannot be read");
  error.code = ErrorCode::kDataLoss;
  return std::unexpected(std::move(error));
}

}  // namespace det::model
