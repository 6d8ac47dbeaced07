#pragma once

// Reads request bodies the way people's clients write them: camelCase or snake_case names, 64-bit integers as numbers
// or texts, null for "not set", unknown keys ignored. The first wrong field is kept as an error. Borrows the object.
// Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "wire/forms.h"

namespace det::wire {

// A JSON object; an empty body is {}. kInvalidArgument for text that is not JSON, not an object, or nested more than
// 100 levels deep. Content-Type does not matter.
[[nodiscard]] Result<Json> parse_body(std::string_view text);
// The same for a body that may be any JSON value.
[[nodiscard]] Result<Json> parse_any_body(std::string_view text);

// `json` with \ufffd for each \uD800 to \uDFFF that is not one of a pair. Python writes them for what it could not
// decode, and no parser takes them.
[[nodiscard]] std::string replace_lone_surrogates(std::string_view json);

// "trialRunId" -> "trial_run_id".
[[nodiscard]] std::string snake_case(std::string_view camel);

class RequestFields {
 public:
  // `path` is put before the names in errors: "metrics." + name.
  explicit RequestFields(const Json& object, std::string path = {}) : RequestFields(&object, std::move(path)) {}

  // The value of `name` (given in camelCase), nullptr when absent or null.
  [[nodiscard]] const Json* any(std::string_view name) const;
  // Whether it is there and null, where that is more than "not set".
  [[nodiscard]] bool is_null(std::string_view name) const;
  // Nothing when absent, null or wrong. Texts with NUL characters are wrong: PostgreSQL keeps none.
  [[nodiscard]] std::optional<std::string> string(std::string_view name);
  // With its NUL characters, for what no column holds. Borrowed from the object.
  [[nodiscard]] std::optional<std::string_view> raw_string(std::string_view name);
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name);
  [[nodiscard]] std::optional<double> number(std::string_view name);
  [[nodiscard]] std::optional<bool> boolean(std::string_view name);
  [[nodiscard]] std::optional<std::vector<std::string>> strings(std::string_view name);
  // The fields of a nested object; reads as empty when absent.
  [[nodiscard]] RequestFields object(std::string_view name);

  // Reports an absent field: kInvalidArgument "missing argument: name".
  void require(std::string_view name);
  // The first error of this object.
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  RequestFields(const Json* object, std::string path);
  void wrong(std::string_view name, std::string_view wanted, const Json& value);

  const Json* object_;  // nullptr: nothing there
  std::string path_;
  Status status_;
};

}  // namespace det::wire
