// Schema checks. The texts are those of kube-openapi's validation, which people search the web for.

#include <algorithm>

#include "base/wall_time.h"
#include "local/kubeapi/schema.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;
using Type = Schema::Type;

const char* name_of(Type type) {
  switch (type) {
    case Type::kObject:
      return "object";
    case Type::kArray:
      return "array";
    case Type::kString:
      return "string";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kBoolean:
      return "boolean";
    case Type::kAny:
      return "any";
  }
  return "any";
}

std::string name_of(const json& value) {
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  return value.type_name();
}

// A number written as 3.0 is an integer, as in Go.
bool is_whole(const json& value) {
  if (value.is_number_integer()) return true;
  if (!value.is_number_float()) return false;
  const double number = value.get<double>();
  return number > -9e15 && number < 9e15 && number == static_cast<double>(static_cast<std::int64_t>(number));
}

bool has_type(Type type, const json& value) {
  switch (type) {
    case Type::kAny:
      return true;
    case Type::kObject:
      return value.is_object();
    case Type::kArray:
      return value.is_array();
    case Type::kString:
      return value.is_string();
    case Type::kInteger:
      return is_whole(value);
    case Type::kNumber:
      return value.is_number();
    case Type::kBoolean:
      return value.is_boolean();
  }
  return false;
}

std::int64_t characters(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
}

class Check {
 public:
  Check(const Schema& schema, const json& value, const std::string& path, std::vector<FieldError>& errors)
      : schema_(schema), value_(value), path_(path), errors_(errors) {}

  void run() {
    if (value_.is_null() && schema_.is_nullable) return;
    if (!check_type()) return;
    check_allowed();
    if (value_.is_string()) check_string(value_.get_ref<const std::string&>());
    if (value_.is_number()) check_number();
    if (value_.is_array()) check_array();
    if (value_.is_object()) check_object();
  }

 private:
  void wrong(const std::string& why) { errors_.push_back(invalid_value(path_, value_, path_ + " in body " + why)); }
  void too_many(std::size_t count, std::int64_t limit) {
    errors_.push_back(
        {path_, "FieldValueTooMany",
         "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(limit) + " items"});
  }
  bool check_type() {
    std::string expected = name_of(schema_.type);
    bool fits = has_type(schema_.type, value_);
    if (schema_.is_int_or_string) {
      fits = value_.is_string() || is_whole(value_);
      expected = "integer,string";
    }
    // A value of any type may still not be null, unless nothing is known about it.
    if (value_.is_null()) fits = schema_.type == Type::kAny && !schema_.is_int_or_string;
    if (fits) return true;
    const std::string found = name_of(value_);
    errors_.push_back(
        invalid_value(path_, found, path_ + " in body must be of type " + expected + ": \"" + found + "\""));
    return false;
  }
  void check_allowed() {
    if (schema_.allowed.empty() || std::ranges::find(schema_.allowed, value_) != schema_.allowed.end()) return;
    std::vector<std::string> words;
    for (const json& word : schema_.allowed) words.push_back(word.is_string() ? word.get<std::string>() : dump(word));
    errors_.push_back(not_supported(path_, value_, words));
  }
  void check_string(const std::string& text) {
    const std::int64_t length = characters(text);
    if (schema_.min_length && length < *schema_.min_length) {
      wrong("should be at least " + std::to_string(*schema_.min_length) + " chars long");
    }
    if (schema_.max_length && length > *schema_.max_length) {
      errors_.push_back({path_, "FieldValueTooLong",
                         "Too long: may not be more than " + std::to_string(*schema_.max_length) + " bytes"});
      return;
    }
    if (schema_.pattern && !schema_.pattern->found_in(text)) {
      wrong("should match '" + schema_.pattern->text() + "'");
    }
    if (schema_.format == "date-time" && !parse_rfc3339(text)) {
      wrong("must be of type date-time: " + dump(value_));
    }
  }
  void check_number() {
    const auto limit = [this](const std::optional<json>& bound, bool exclusive, bool is_minimum) {
      if (!bound) return;
      const bool beyond = is_minimum ? value_ < *bound : value_ > *bound;
      if (!beyond && !(exclusive && value_ == *bound)) return;
      const std::string than = is_minimum ? "greater than " : "less than ";
      wrong("should be " + than + (exclusive ? "" : "or equal to ") + dump(*bound));
    };
    limit(schema_.minimum, schema_.exclusive_minimum, true);
    limit(schema_.maximum, schema_.exclusive_maximum, false);
  }
  void check_array() {
    if (schema_.min_items && static_cast<std::int64_t>(value_.size()) < *schema_.min_items) {
      const json count = value_.size();
      errors_.push_back(invalid_value(
          path_, count, path_ + " in body should have at least " + std::to_string(*schema_.min_items) + " items"));
    }
    if (schema_.max_items && static_cast<std::int64_t>(value_.size()) > *schema_.max_items) {
      too_many(value_.size(), *schema_.max_items);
      return;  // do not list the faults of a list that is refused for its length
    }
    if (schema_.items == nullptr) return;
    for (std::size_t i = 0; i < value_.size(); ++i) {
      validate(*schema_.items, value_[i], path_ + "[" + std::to_string(i) + "]", errors_);
    }
  }
  void check_object() {
    for (const auto& name : schema_.required) {
      if (!value_.contains(name)) errors_.push_back(required(below(name)));
    }
    if (schema_.min_properties && static_cast<std::int64_t>(value_.size()) < *schema_.min_properties) {
      wrong("should have at least " + std::to_string(*schema_.min_properties) + " properties");
    }
    if (schema_.max_properties && static_cast<std::int64_t>(value_.size()) > *schema_.max_properties) {
      too_many(value_.size(), *schema_.max_properties);
      return;
    }
    for (const auto& [name, member] : value_.items()) {
      const auto known = schema_.properties.find(name);
      if (known != schema_.properties.end()) {
        validate(known->second, member, below(name), errors_);
      } else if (schema_.additional != nullptr) {
        validate(*schema_.additional, member, below(name), errors_);
      }
    }
  }
  [[nodiscard]] std::string below(const std::string& name) const { return path_.empty() ? name : path_ + "." + name; }

  const Schema& schema_;
  const json& value_;
  const std::string& path_;
  std::vector<FieldError>& errors_;
};

}  // namespace

void validate(const Schema& schema, const json& value, const std::string& path, std::vector<FieldError>& errors) {
  Check(schema, value, path, errors).run();
}

}  // namespace det::local::kubeapi
