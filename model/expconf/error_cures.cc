#include "model/expconf/error_cures.h"

#include <algorithm>
#include <array>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/nearest_name.h"
#include "base/shown_value.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::string_view kWords = "value must be ";
constexpr std::string_view kParameters = "hyperparameters.";

// What stands for `key`, a path or a word.
struct Entry {
  std::string_view key;
  std::string_view text;
};
constexpr auto kExamples = std::to_array<Entry>({
    {"bind_mounts[].container_path", "/data"},
    {"bind_mounts[].host_path", "/mnt/data"},
    {"checkpoint_storage", "{type: shared_fs, host_path: /mnt/checkpoints}"},
    {"checkpoint_storage.bucket", "my-bucket"},
    {"checkpoint_storage.container_path", "/checkpoints"},
    {"checkpoint_storage.host_path", "/mnt/checkpoints"},
    {"entrypoint", "python3 train.py"},
    {"hyperparameters", "{learning_rate: 0.01}"},
    {"resources.shm_size", "4G or 512MiB"},
    {"searcher", "{name: single, metric: validation_loss}"},
    {"searcher.max_trials", "16"},
    {"searcher.metric", "validation_loss"},
    {"searcher.num_rungs", "3"},
});
// Of a hyperparameter, whatever its name.
constexpr auto kParameterExamples = std::to_array<Entry>({
    {"base", "10"},
    {"count", "5"},
    {"maxval", "1"},
    {"minval", "0"},
    {"val", "0.1"},
    {"vals", "[relu, tanh]"},
});

// Errors whose cure does not depend on what was written, by their beginning or a part of it.
struct KnownCure {
  std::string_view says;
  std::string_view cure;
};
constexpr auto kKnownCures = std::to_array<KnownCure>({
    {"grid search is in use but count was not provided", "for example count: 5"},
    {"must have at least one value to choose from", "for example [relu, tanh]"},
    {"invalid version: ", "write version: 0, or leave it out"},
    {"requires `max_time` and `time_metric` to be set", "for example time_metric: batches and max_time: 1000"},
});

// Words of other tools for a kind of hyperparameter.
constexpr auto kParameterKinds = std::to_array<Entry>({
    {"choice", "categorical"},
    {"discrete", "categorical"},
    {"float", "double"},
    {"integer", "int"},
    {"loguniform", "log"},
    {"real", "double"},
    {"uniform", "double"},
});

// "bind_mounts[3].host_path" -> "bind_mounts[].host_path".
std::string without_indices(std::string_view path) {
  std::string plain;
  bool is_index = false;
  for (const char c : path) {
    if (c == ']') is_index = false;
    if (!is_index) plain += c;
    if (c == '[') is_index = true;
  }
  return plain;
}

template <std::size_t kSize>
std::string_view text_at(const std::array<Entry, kSize>& entries, std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? std::string_view() : found->text;
}

std::string behind(std::string_view cure) {
  return "; " + std::string(cure);
}

// Those in quotation marks, but for the one that was written.
std::vector<std::string> words_of(std::string_view message) {
  message = message.substr(0, message.find(" (it is "));
  std::vector<std::string> words;
  for (std::size_t open = message.find('"'); open != std::string_view::npos;) {
    const std::size_t close = message.find('"', open + 1);
    if (close == std::string_view::npos) break;
    words.emplace_back(message.substr(open + 1, close - open - 1));
    open = message.find('"', close + 1);
  }
  return words;
}

std::string cure_of_word(std::string_view message, const std::string& word) {
  const std::vector<std::string> words = words_of(message);
  const std::vector<std::string_view> views(words.begin(), words.end());
  const std::string_view near = nearest_name(word, views);
  return near.empty() ? "" : "; did you mean \"" + std::string(near) + "\"?";
}

// "expected integer or null, but got ...": what was written has another type.
std::string cure_of_type(std::string_view key, std::string_view message, const json& value) {
  const auto wants = [&](std::string_view type) { return message.starts_with("expected " + std::string(type)); };
  const bool wants_number = wants("integer") || wants("number");
  if (value.is_string() && (wants_number || wants("boolean"))) {
    const auto text = value.get<std::string>();
    const json bare = json::parse(text, nullptr, false);
    const bool is_meant = (wants_number ? bare.is_number() : bare.is_boolean()) && !shown_value(key, value).empty();
    if (is_meant) return behind("write " + text + " without quotation marks");
  }
  if (wants("integer")) return behind("write a whole number");
  if (wants("number")) return behind("write a number");
  if (wants("boolean")) return behind("write true or false");
  if (wants("array")) {
    const std::string shown = shown_value(key, value);
    return shown.empty() ? cure_of_form(message) : behind("write a list: [" + shown + "]");
  }
  if (wants("string") && value.is_boolean()) {
    return behind(
        "put what is written there in quotation marks: YAML reads words such as yes, no, on, off, y and n so");
  }
  if (wants("string") && value.is_number()) return behind("write it in quotation marks");
  return cure_of_form(message);
}

// Of an object: which of its members makes it wrong.
std::string cure_of_object(std::string_view message, const json& value) {
  if (message == "minval must be less than maxval") {
    return " (minval is " + shown_value("", value.value("minval", json())) + ", maxval is " +
           shown_value("", value.value("maxval", json())) + ")";
  }
  if (message.starts_with("if a hyperparameter object's")) {
    const json type = value.value("type", json());
    std::string cure = " (it is " + shown_value("", type) + ")";
    const std::string_view kind = type.is_string() ? text_at(kParameterKinds, type.get<std::string>()) : "";
    if (!kind.empty()) cure += "; the word for it is \"" + std::string(kind) + "\"";
    return cure;
  }
  if (message.starts_with("storage_path must either be")) {
    return " (it is " + shown_value("", value.value("storage_path", json())) + "); for example storage_path: my-team";
  }
  return {};
}

}  // namespace

std::string_view example_of(std::string_view path) {
  if (path.starts_with(kParameters)) return text_at(kParameterExamples, path.substr(path.find_last_of('.') + 1));
  return text_at(kExamples, without_indices(path));
}

std::string cure_of_form(std::string_view message) {
  if (message.starts_with("expected array")) return behind("write a list: each entry behind a hyphen");
  if (message.starts_with("expected object")) return behind("write keys and values, as in name: value");
  return {};
}

std::string cure_of(std::string_view path, std::string_view message, const json& value) {
  if (message.find("; instead of `max_length") != std::string_view::npos) return {};  // it says itself what would work
  for (const KnownCure& known : kKnownCures) {
    if (message.find(known.says) != std::string_view::npos) return behind(known.cure);
  }
  if (value.is_object()) {
    if (std::string cure = cure_of_object(message, value); !cure.empty()) return cure;
  }
  if (message.starts_with("expected ")) return cure_of_type(path.substr(path.find_last_of('.') + 1), message, value);
  if (value.is_structured()) return {};
  if (const std::string_view example = example_of(path); !example.empty()) {
    return behind("for example " + std::string(example));
  }
  if (value.is_string() && message.starts_with(kWords)) return cure_of_word(message, value.get<std::string>());
  return {};
}

}  // namespace det::model
