#pragma once

// Reads a JSON object field by field and collects EVERY error with the field's path, so that a person sees all of what
// is wrong at once. null and absent are the same. The error texts are those people know from Determined's experiment
// configuration. A reader borrows the value and the error list; both outlive it. Pure; any thread.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace det {

// Each has code kInvalidArgument, the dotted path in `field` ("resources.devices[0].mode", "" for the whole) and the
// message.
using FieldErrors = std::vector<Error>;

void add_field_error(FieldErrors& errors, std::string_view path, std::string message);
// "resources" + "slots" -> "resources.slots"; "" + "slots" -> "slots".
[[nodiscard]] std::string child_path(std::string_view path, std::string_view key);
// "devices", 0 -> "devices[0]".
[[nodiscard]] std::string item_path(std::string_view path, std::size_t index);
// "object", "array", "string", "number", "boolean" or "null".
[[nodiscard]] std::string_view json_type_name(const nlohmann::json& value);
// `expected integer or null, but got string`.
[[nodiscard]] std::string expected_text(std::string_view types, const nlohmann::json& value);
// `additionalProperties "zz", "aa" not allowed`.
[[nodiscard]] std::string unknown_keys_text(std::span<const std::string> keys);
// A number as people write it: 1, -0.5, 1e+30.
[[nodiscard]] std::string number_text(double number);
// The integer in `value`; whole floats (1.0) count. nullopt for everything else.
[[nodiscard]] std::optional<std::int64_t> whole_number(const nlohmann::json& value);
// One line per error, "<config>.resources.slots: message", sorted. `root` stands for the document.
[[nodiscard]] std::string join_errors(std::span<const Error> errors, std::string_view root = "<config>");
// The same as one error for callers that can carry only one; its field is that of the first line. Needs at least one
// error.
[[nodiscard]] Error joined_error(std::span<const Error> errors, std::string_view root = "<config>");

struct IntRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::min();
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
};

class JsonReader {
 public:
  // `value` that is null reads as an empty object; one that is neither is an error at `path`.
  JsonReader(const nlohmann::json& value, FieldErrors& errors, std::string path = {});

  // nullopt (or empty) when the field is absent, null or wrong; wrong is reported.
  [[nodiscard]] std::optional<std::string> string(std::string_view key);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, IntRange range = {});
  [[nodiscard]] std::optional<double> number(std::string_view key);
  [[nodiscard]] std::optional<bool> boolean(std::string_view key);
  [[nodiscard]] std::optional<std::vector<std::string>> strings(std::string_view key);
  // One of `words`; the error lists them.
  [[nodiscard]] std::optional<std::string> choice(std::string_view key, std::span<const std::string_view> words);
  template <typename E>
  [[nodiscard]] std::optional<E> choice(std::string_view key, std::span<const std::pair<std::string_view, E>> words) {
    std::vector<std::string_view> texts;
    for (const auto& word : words) texts.push_back(word.first);
    const auto text = choice(key, texts);
    for (const auto& word : words) {
      if (text && *text == word.first) return word.second;
    }
    return std::nullopt;
  }

  // A reader of a nested object; reads as empty when the field is absent.
  [[nodiscard]] JsonReader object(std::string_view key);
  // A reader per element of a list of objects.
  [[nodiscard]] std::vector<JsonReader> objects(std::string_view key);
  // Key and reader of each member of a map whose values are objects.
  [[nodiscard]] std::vector<std::pair<std::string, JsonReader>> members(std::string_view key);
  // The value as it is, of any type; nullptr when absent or null.
  [[nodiscard]] const nlohmann::json* any(std::string_view key);

  // Reports `missing properties: "key"` unless the field is there and not null.
  void require(std::string_view key);
  // Adds an error of the caller's own at this object or at one field of it.
  void report(std::string message);
  void report(std::string_view key, std::string message);
  // Reports every key that no call above asked for, and which of those it may have meant. Call it last.
  void refuse_unknown_keys();

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_present() const { return value_ != nullptr; }

 private:
  const nlohmann::json* find(std::string_view key);
  void wrong_type(std::string_view key, std::string_view types, const nlohmann::json& value);

  const nlohmann::json* value_;  // nullptr when there is no object
  std::reference_wrapper<FieldErrors> errors_;
  std::string path_;
  std::vector<std::string> seen_;
};

}  // namespace det
