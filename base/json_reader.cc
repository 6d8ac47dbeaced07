#include "base/json_reader.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/nearest_name.h"
#include "base/shown_value.h"

namespace det {

using nlohmann::json;

void add_field_error(FieldErrors& errors, std::string_view path, std::string message) {
  errors.push_back(Error{.code = ErrorCode::kInvalidArgument,
                         .message = std::move(message),
                         .field = std::string(path),
                         .retry_after = {}});
}

std::string child_path(std::string_view path, std::string_view key) {
  std::string child(path);
  if (!child.empty()) child += '.';
  child += key;
  return child;
}

std::string item_path(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

std::string_view json_type_name(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return "object";
    case json::value_t::array:
      return "array";
    case json::value_t::string:
      return "string";
    case json::value_t::boolean:
      return "boolean";
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
    case json::value_t::number_float:
      return "number";
    case json::value_t::null:
    case json::value_t::binary:
    case json::value_t::discarded:
      return "null";
  }
  return "null";
}

std::string expected_text(std::string_view types, const json& value) {
  return "expected " + std::string(types) + ", but got " + std::string(json_type_name(value));
}

std::string unknown_keys_text(std::span<const std::string> keys) {
  std::string text = "additionalProperties ";
  for (std::size_t i = 0; i < keys.size(); ++i) text += (i == 0 ? "\"" : ", \"") + keys[i] + "\"";
  return text + " not allowed";
}

std::string number_text(double number) {
  return json(number).dump();
}

std::optional<std::int64_t> whole_number(const json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const auto number = value.get<double>();
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (std::trunc(number) != number || number < -kLimit || number >= kLimit) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string join_errors(std::span<const Error> errors, std::string_view root) {
  std::vector<std::string> lines;
  for (const Error& error : errors) {
    const bool needs_dot = !error.field.empty() && error.field[0] != '[';
    lines.push_back(std::string(root) + (needs_dot ? "." : "") + error.field + ": " + error.message);
  }
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

Error joined_error(std::span<const Error> errors, std::string_view root) {
  DET_CHECK(!errors.empty(), "there is something to report");
  const auto first = std::ranges::min_element(errors, {}, &Error::field);
  return Error{.code = first->code, .message = join_errors(errors, root), .field = first->field, .retry_after = {}};
}

JsonReader::JsonReader(const json& value, FieldErrors& errors, std::string path)
    : value_(value.is_object() ? &value : nullptr), errors_(errors), path_(std::move(path)) {
  if (!value.is_object() && !value.is_null()) report(expected_text("object or null", value));
}

const json* JsonReader::find(std::string_view key) {
  seen_.emplace_back(key);
  if (value_ == nullptr) return nullptr;
  const auto it = value_->find(key);
  return it == value_->end() || it->is_null() ? nullptr : &*it;
}

void JsonReader::wrong_type(std::string_view key, std::string_view types, const json& value) {
  report(key, expected_text(types, value));
}

std::optional<std::string> JsonReader::string(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  wrong_type(key, "string or null", *value);
  return std::nullopt;
}

std::optional<std::int64_t> JsonReader::integer(std::string_view key, IntRange range) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = whole_number(*value);
  if (!number) {
    wrong_type(key, "integer or null", *value);
    return std::nullopt;
  }
  if (*number < range.min) {
    report(key, "must be >= " + std::to_string(range.min) + " but found " + std::to_string(*number));
    return std::nullopt;
  }
  if (*number > range.max) {
    report(key, "must be <= " + std::to_string(range.max) + " but found " + std::to_string(*number));
    return std::nullopt;
  }
  return number;
}

std::optional<double> JsonReader::number(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  wrong_type(key, "number or null", *value);
  return std::nullopt;
}

std::optional<bool> JsonReader::boolean(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  wrong_type(key, "boolean or null", *value);
  return std::nullopt;
}

std::optional<std::vector<std::string>> JsonReader::strings(std::string_view key) {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) {
    wrong_type(key, "array or null", *value);
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const json& item = (*value)[i];
    if (item.is_string()) {
      texts.push_back(item.get<std::string>());
    } else {
      report(item_path(key, i), expected_text("string", item));
    }
  }
  return texts;
}

std::optional<std::string> JsonReader::choice(std::string_view key, std::span<const std::string_view> words) {
  auto text = string(key);
  if (!text || std::ranges::find(words, *text) != words.end()) return text;
  std::string message = "value must be one of <nil>";
  for (const std::string_view word : words) message += ", \"" + std::string(word) + "\"";
  message += " (it is " + shown_value(key, *text) + ")";
  if (const auto near = nearest_name(*text, words); !near.empty())
    message += "; did you mean \"" + std::string(near) + "\"?";
  report(key, std::move(message));
  return std::nullopt;
}

JsonReader JsonReader::object(std::string_view key) {
  static const json kAbsent;
  const json* value = find(key);
  return {value == nullptr ? kAbsent : *value, errors_, child_path(path_, key)};
}

std::vector<JsonReader> JsonReader::objects(std::string_view key) {
  const json* value = find(key);
  std::vector<JsonReader> readers;
  if (value == nullptr) return readers;
  if (!value->is_array()) {
    wrong_type(key, "array or null", *value);
    return readers;
  }
  for (std::size_t i = 0; i < value->size(); ++i) {
    readers.push_back(JsonReader((*value)[i], errors_, item_path(child_path(path_, key), i)));
  }
  return readers;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members(std::string_view key) {
  const json* value = find(key);
  std::vector<std::pair<std::string, JsonReader>> readers;
  if (value == nullptr) return readers;
  if (!value->is_object()) {
    wrong_type(key, "object or null", *value);
    return readers;
  }
  const std::string path = child_path(path_, key);
  for (const auto& [name, member] : value->items()) {
    readers.emplace_back(name, JsonReader(member, errors_, child_path(path, name)));
  }
  return readers;
}

const json* JsonReader::any(std::string_view key) {
  return find(key);
}

void JsonReader::require(std::string_view key) {
  if (value_ != nullptr && find(key) == nullptr) report("missing properties: \"" + std::string(key) + "\"");
}

void JsonReader::report(std::string message) {
  add_field_error(errors_, path_, std::move(message));
}

void JsonReader::report(std::string_view key, std::string message) {
  add_field_error(errors_, child_path(path_, key), std::move(message));
}

void JsonReader::refuse_unknown_keys() {
  if (value_ == nullptr) return;
  const std::vector<std::string_view> known(seen_.begin(), seen_.end());
  std::vector<std::string> unknown;
  std::string meant;
  for (const auto& [key, member] : value_->items()) {
    if (std::ranges::find(seen_, key) != seen_.end()) continue;
    unknown.push_back(key);
    const std::string_view near = nearest_name(key, known);
    if (!near.empty()) meant += (meant.empty() ? "\"" : ", \"") + std::string(near) + "\"";
  }
  if (unknown.empty()) return;
  report(unknown_keys_text(unknown) + (meant.empty() ? "" : "; did you mean " + meant + "?"));
}

}  // namespace det
