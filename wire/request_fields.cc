#include "wire/request_fields.h"

#include <algorithm>
#include <charconv>

#include "base/json_depth.h"
#include "wire/quoted.h"

namespace det::wire {

namespace {

constexpr int kMaxDepth = 100;

template <typename T>
std::optional<T> parse_number(const std::string& text) {
  T value{};
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<Json> parse_any_body(std::string_view text) {
  if (text.empty()) return Json::object();
  if (is_nested_deeper(text, kMaxDepth)) {
    return fail(ErrorCode::kInvalidArgument,
                "the request's body is nested more than " + std::to_string(kMaxDepth) + " levels deep");
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    const std::string_view what = e.what();
    return fail(ErrorCode::kInvalidArgument,
                "the request's body is not JSON: " + std::string(what.substr(what.find("] ") + 2)));
  }
}

Result<Json> parse_body(std::string_view text) {
  auto body = parse_any_body(text);
  if (body && body->is_null()) return Json::object();
  if (body && !body->is_object()) {
    return fail(ErrorCode::kInvalidArgument,
                "the request's body must be a JSON object, not " + std::string(body->type_name()));
  }
  return body;
}

std::string replace_lone_surrogates(std::string_view json) {
  constexpr std::size_t kEscape = 6;  // of \ud83d
  // Of the escape at `at`; 0: there is none.
  const auto code_at = [json](std::size_t at) {
    unsigned code = 0;
    const std::string_view text = json.substr(std::min(at, json.size()), kEscape);
    if (text.size() < kEscape || !text.starts_with("\\u")) return 0U;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + kEscape, code, 16);
    return error == std::errc() && end == text.data() + kEscape ? code : 0U;
  };
  const auto is_high = [](unsigned code) { return code >= 0xD800 && code < 0xDC00; };
  const auto is_low = [](unsigned code) { return code >= 0xDC00 && code < 0xE000; };
  std::string out;
  out.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const unsigned code = json[at] == '\\' ? code_at(at) : 0;
    std::size_t length = json[at] == '\\' ? 2 : 1;
    if (is_high(code) && is_low(code_at(at + kEscape))) {
      length = 2 * kEscape;
    } else if (is_high(code) || is_low(code)) {
      out += "\\ufffd";
      at += kEscape;
      continue;
    }
    out += json.substr(at, length);
    at += length;
  }
  return out;
}

std::string snake_case(std::string_view camel) {
  std::string out;
  for (const char c : camel) {
    if (c >= 'A' && c <= 'Z') {
      out.push_back('_');
      out.push_back(static_cast<char>(c - 'A' + 'a'));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

RequestFields::RequestFields(const Json* object, std::string path) : object_(object), path_(std::move(path)) {}

const Json* RequestFields::any(std::string_view name) const {
  if (object_ == nullptr || !object_->is_object()) return nullptr;
  auto at = object_->find(name);
  if (at == object_->end()) at = object_->find(snake_case(name));
  return at == object_->end() || at->is_null() ? nullptr : &*at;
}

bool RequestFields::is_null(std::string_view name) const {
  if (object_ == nullptr || !object_->is_object()) return false;
  auto at = object_->find(name);
  if (at == object_->end()) at = object_->find(snake_case(name));
  return at != object_->end() && at->is_null();
}

void RequestFields::wrong(std::string_view name, std::string_view wanted, const Json& value) {
  if (!status_) return;
  const std::string field = path_ + std::string(name);
  status_ =
      fail(ErrorCode::kInvalidArgument, field + ": expected " + std::string(wanted) + ", got " + quoted(value), field);
}

namespace {

// PostgreSQL keeps none: what comes after it would be lost without a word.
bool has_nul(const Json& text) {
  return text.get_ref<const std::string&>().find('\0') != std::string::npos;
}

}  // namespace

std::optional<std::string> RequestFields::string(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    wrong(name, "a string", *value);
  } else if (!has_nul(*value)) {
    return value->get<std::string>();
  } else {
    wrong(name, "a string without NUL characters", *value);
  }
  return std::nullopt;
}

std::optional<std::string_view> RequestFields::raw_string(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get_ref<const std::string&>();
  wrong(name, "a string", *value);
  return std::nullopt;
}

std::optional<std::int64_t> RequestFields::integer(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number_integer()) {
    const bool fits = !value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX;
    if (fits) return value->get<std::int64_t>();
  } else if (value->is_string()) {
    if (const auto parsed = parse_number<std::int64_t>(value->get_ref<const std::string&>())) return parsed;
  } else if (value->is_number_float()) {
    const double number = value->get<double>();
    if (number >= -9e15 && number <= 9e15 && static_cast<double>(static_cast<std::int64_t>(number)) == number) {
      return static_cast<std::int64_t>(number);
    }
  }
  wrong(name, "an integer", *value);
  return std::nullopt;
}

std::optional<double> RequestFields::number(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  if (value->is_string()) {
    if (const auto parsed = parse_number<double>(value->get_ref<const std::string&>())) return parsed;
  }
  wrong(name, "a number", *value);
  return std::nullopt;
}

std::optional<bool> RequestFields::boolean(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  wrong(name, "true or false", *value);
  return std::nullopt;
}

std::optional<std::vector<std::string>> RequestFields::strings(std::string_view name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  std::vector<std::string> out;
  if (value->is_array()) {
    for (const Json& item : *value) {
      if (!item.is_string() || has_nul(item)) break;
      out.push_back(item.get<std::string>());
    }
    if (out.size() == value->size()) return out;
  }
  wrong(name, "a list of strings without NUL characters", *value);
  return std::nullopt;
}

RequestFields RequestFields::object(std::string_view name) {
  const Json* value = any(name);
  if (value != nullptr && !value->is_object()) {
    wrong(name, "an object", *value);
    value = nullptr;
  }
  return RequestFields(value, path_ + std::string(name) + ".");
}

void RequestFields::require(std::string_view name) {
  if (any(name) != nullptr || !status_) return;
  const std::string field = path_ + std::string(name);
  status_ = fail(ErrorCode::kInvalidArgument, "missing argument: " + field, field);
}

}  // namespace det::wire
