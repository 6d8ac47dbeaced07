#include "model/expconf/explain_errors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/nearest_name.h"
#include "base/shown_value.h"
#include "model/expconf/error_cures.h"
#include "model/expconf/schema_place.h"

namespace det::model {
namespace {

using nlohmann::json;

// Nobody reads more, and each is compared with every name that there is.
constexpr std::size_t kMostExplained = 200;
constexpr std::size_t kMostListed = 12;

constexpr std::string_view kUnknownKeys = "additionalProperties ";
constexpr std::string_view kUnknownKeysEnd = " not allowed";
constexpr std::string_view kUnknownTaskKeys = "json: unknown field ";
constexpr std::string_view kRequired = " is a required property";
constexpr std::string_view kMissing = "missing properties: ";
constexpr std::string_view kNoEntrypoint = "managed experiments require entrypoint";
constexpr std::string_view kEmptyEntrypoint = "entrypoint must be non-empty";
constexpr std::string_view kRemoved = " searcher has been removed ";

// Names that other tools have for the same.
struct Synonym {
  std::string_view word;
  std::string_view name;
};
constexpr auto kSynonyms = std::to_array<Synonym>({
    {"cmd", "entrypoint"},
    {"command", "entrypoint"},
    {"cpus", "slots_per_trial"},
    {"env", "environment"},
    {"gpus", "slots_per_trial"},
    {"hparams", "hyperparameters"},
    {"max_val", "maxval"},
    {"min_val", "minval"},
    {"num_gpus", "slots_per_trial"},
    {"num_samples", "max_trials"},
    {"params", "hyperparameters"},
    {"pool", "resource_pool"},
    {"search", "searcher"},
    {"slots", "slots_per_trial"},
    {"slots_per_trial", "slots"},
    {"storage", "checkpoint_storage"},
});

constexpr auto kParameterKeys =
    std::to_array<std::string_view>({"type", "val", "vals", "minval", "maxval", "base", "count"});

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

// Whether the message has the word, not as a part of another one.
bool says_word(std::string_view message, std::string_view word) {
  const auto is_letter = [&](std::size_t at) {
    return at < message.size() && std::isalnum(static_cast<unsigned char>(message[at])) != 0;
  };
  for (std::size_t at = message.find(word); at != std::string_view::npos; at = message.find(word, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

// What an administrator forbids, or what does not go with something else, is not wrong in itself.
bool is_about_value(std::string_view message) {
  if (message.find("pod_policy") != std::string_view::npos) return false;
  constexpr auto kWordsOfIt = std::to_array<std::string_view>(
      {"expected ", "must ", "is neither ", "valid ", " was not provided", "requires `max_time`"});
  return std::ranges::any_of(kWordsOfIt,
                             [&](std::string_view word) { return message.find(word) != std::string_view::npos; });
}

// Variables of the environment hold what their names do not tell.
bool may_hold_secret(std::string_view path) {
  constexpr auto kPlaces = std::to_array<std::string_view>({"environment_variables", "pod_spec", "registry_auth"});
  return std::ranges::any_of(kPlaces,
                             [&](std::string_view place) { return path.find(place) != std::string_view::npos; });
}

// "a, b or c".
std::string choice_of(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

// `PREFIX"a", "b"SUFFIX` -> a, b. Nothing when more is said than that.
std::vector<std::string> keys_between(std::string_view message, std::string_view prefix, std::string_view suffix) {
  if (!message.starts_with(prefix) || !message.ends_with(suffix)) return {};
  message.remove_prefix(prefix.size());
  message.remove_suffix(std::min(suffix.size(), message.size()));
  std::vector<std::string> keys;
  while (message.size() >= 2 && message[0] == '"') {
    std::size_t end = message.find("\", \"", 1);
    if (end == std::string_view::npos) end = message.size() - 1;
    keys.emplace_back(message.substr(1, end - 1));
    message.remove_prefix(std::min(end + 3, message.size()));
  }
  return keys;
}

// The keys of an object that its table has not, as experiments are told and as tasks are.
std::vector<std::string> unknown_keys(std::string_view message) {
  auto keys = keys_between(message, kUnknownKeys, kUnknownKeysEnd);
  return keys.empty() ? keys_between(message, kUnknownTaskKeys, "") : keys;
}

class Explanation {
 public:
  Explanation(const json& written, const ObjectSchema& schema) : written_(written), schema_(schema) {}

  void explain(Error& error) const {
    if (error.message.find("did you mean") != std::string::npos) return;
    if (const auto keys = unknown_keys(error.message); !keys.empty()) {
      return keys.size() == 1 ? explain_key(error, keys[0]) : void();
    }
    const SchemaPlace place = place_at(error.field, written_, schema_);
    if (error.message == kNoEntrypoint || error.message == kEmptyEntrypoint) {
      return explain_missing(error, error.field);
    }
    if (error.message.ends_with(kRequired)) {
      const std::size_t length = error.message.size() - kRequired.size();
      return explain_missing(error, child_path(error.field, error.message.substr(0, length)));
    }
    if (error.message.starts_with(kMissing)) return explain_members(error);
    if (place.schema != nullptr && !place.schema->tag.empty() && error.message == place.schema->tag_error) {
      return explain_tag(error, place);
    }
    show_value(error, place);
  }

 private:
  void explain_key(Error& error, const std::string& key) const {
    const SchemaPlace place = place_at(error.field, written_, schema_);
    std::vector<std::string_view> names = field_names(place);
    if (error.field.starts_with("hyperparameters.")) names.assign(kParameterKeys.begin(), kParameterKeys.end());
    // An experiment's resources have the word of tasks only to refuse it.
    if (std::ranges::find(names, "slots_per_trial") != names.end()) std::erase(names, "slots");
    std::string_view wanted = key;
    const auto synonym = std::ranges::find(kSynonyms, key, &Synonym::word);
    if (synonym != kSynonyms.end()) wanted = synonym->name;
    const bool is_here = wanted != key && std::ranges::find(names, wanted) != names.end();
    std::string meant(is_here ? wanted : nearest_name(key, names));
    const std::string variants = meant.empty() ? variants_with(place, key) : "";
    if (!variants.empty()) {
      error.message += "; it is for " + variants;
      return;
    }
    if (meant.empty() && !error.field.empty() && field_named(schema_, key) != nullptr) {
      error.message += "; it belongs to the top level, not into " + error.field;
      return;
    }
    if (meant.empty()) meant = place_of_field(key, error.field);
    if (meant.empty()) meant = place_of_field(wanted, error.field);
    if (!meant.empty()) {
      error.message += "; did you mean " + in_quotes(meant) + "?";
    } else if (!names.empty() && names.size() <= kMostListed) {
      error.message += "; known here: " + list_of(std::move(names));
    }
  }

  static std::string list_of(std::vector<std::string_view> names) {
    std::ranges::sort(names);
    std::string list;
    for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
    return list;
  }

  // "searcher random, async_halving or adaptive_asha", which have the field that this one has not.
  static std::string variants_with(const SchemaPlace& place, std::string_view key) {
    if (place.schema == nullptr || place.value == nullptr) return {};
    std::vector<std::string_view> tags;
    for (const Variant& variant : place.schema->variants) {
      if (variant.is_gone) continue;
      if (std::ranges::find(variant.fields, key, &Field::name) != variant.fields.end()) tags.push_back(variant.tag);
    }
    const json* tag = member_of(place.value, place.schema->tag);
    const std::string own = tag == nullptr ? "" : ", and this is " + shown_value("", *tag);
    return tags.empty() ? "" : std::string(place.schema->tag) + " " + choice_of(tags) + own;
  }

  // "resources.slots_per_trial" for a field that one section has and that was written elsewhere.
  [[nodiscard]] std::string place_of_field(std::string_view key, std::string_view written_in) const {
    std::string found;
    for (const Field& section : schema_.fields) {
      if (section.type != Type::kObject || section.object == nullptr || section.dropped) continue;
      if (section.name == written_in || field_named(*section.object, key) == nullptr) continue;
      if (!found.empty()) return {};  // which one was meant nobody knows
      found = child_path(section.name, key);
    }
    return found;
  }

  static void explain_missing(Error& error, const std::string& path) {
    const std::string_view example = example_of(path);
    error.message = path + " is missing" + (example.empty() ? "" : ", for example " + std::string(example)) + " (" +
                    error.message + ")";
  }

  static void explain_members(Error& error) {
    std::string examples;
    for (std::size_t open = error.message.find('"'); open != std::string::npos;) {
      const std::size_t close = error.message.find('"', open + 1);
      if (close == std::string::npos) break;
      const std::string name = error.message.substr(open + 1, close - open - 1);
      const std::string_view example = example_of(child_path(error.field, name));
      if (!example.empty()) examples += (examples.empty() ? "" : ", ") + name + ": " + std::string(example);
      open = error.message.find('"', close + 1);
    }
    if (!examples.empty()) error.message += "; for example " + examples;
  }

  static void explain_tag(Error& error, const SchemaPlace& place) {
    const std::string path = child_path(error.field, place.schema->tag);
    std::vector<std::string_view> tags;
    for (const Variant& variant : place.schema->variants) {
      if (!variant.is_gone) tags.push_back(variant.tag);
    }
    const json* tag = member_of(place.value, place.schema->tag);
    std::string text = path + " is missing";
    std::string_view near;
    if (tag != nullptr && !tag->is_null()) {
      std::string value = shown_value("", *tag);
      if (tag->is_string()) {
        value = "'" + value.substr(1, value.size() - 2) + "'";
        near = nearest_name(tag->get<std::string>(), tags);
      }
      text = path + " " + value + " is unknown";
      error.field = path;
    }
    if (!near.empty()) text += ", did you mean '" + std::string(near) + "'?";
    error.message = text + "; use " + choice_of(tags) + " (" + error.message + ")";
  }

  // The value behind what is wrong with it, and what would work.
  static void show_value(Error& error, const SchemaPlace& place) {
    if (place.value == nullptr) return;
    if (may_hold_secret(error.field)) {
      error.message += cure_of_form(error.message);
      return;
    }
    if (!is_about_value(error.message)) return;
    const std::string cure = cure_of(error.field, error.message, *place.value);
    show_scalar(error, *place.value);
    error.message += cure;
  }

  static void show_scalar(Error& error, const json& value) {
    const std::size_t dot = error.field.find_last_of('.');
    const std::string key = dot == std::string::npos ? error.field : error.field.substr(dot + 1);
    const std::string shown = shown_value(key, value);
    if (shown.empty()) return;
    const std::string bare = value.is_string() ? value.get<std::string>() : shown;
    if (!says_word(error.message, bare)) error.message += " (it is " + shown + ")";
  }

  const json& written_;
  const ObjectSchema& schema_;
};

// One error for each unknown key.
FieldErrors with_each_key(FieldErrors errors) {
  FieldErrors parted;
  for (Error& error : errors) {
    const std::vector<std::string> keys = unknown_keys(error.message);
    if (keys.size() < 2 || parted.size() + keys.size() > kMostExplained) {
      parted.push_back(std::move(error));
      continue;
    }
    const bool is_of_task = error.message.starts_with(kUnknownTaskKeys);
    for (const std::string& key : keys) {
      add_field_error(parted, error.field,
                      is_of_task ? std::string(kUnknownTaskKeys) + in_quotes(key)
                                 : unknown_keys_text(std::vector<std::string>{key}));
    }
  }
  return parted;
}

// A search of a kind that is gone lacks nothing: whoever completed it would be told next that it is gone.
void forget_fields_of_removed(FieldErrors& errors) {
  const bool is_removed =
      std::ranges::any_of(errors, [](const Error& error) { return error.message.find(kRemoved) != std::string::npos; });
  if (!is_removed) return;
  std::erase_if(errors,
                [](const Error& error) { return error.field == "searcher" && error.message.ends_with(kRequired); });
}

}  // namespace

void explain_errors(FieldErrors& errors, const json& written, const ObjectSchema& schema) {
  errors = with_each_key(std::move(errors));
  forget_fields_of_removed(errors);
  const Explanation explanation(written, schema);
  for (std::size_t i = 0; i < std::min(errors.size(), kMostExplained); ++i) explanation.explain(errors[i]);
}

}  // namespace det::model
