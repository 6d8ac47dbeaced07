#pragma once

// Tables that describe a configuration: each section of the experiment configuration is a list of fields with type,
// bounds, default and merge rule, and four functions do with such a table all that is ever done with a section. A field
// more is a row more. The tables are constants; everything here is pure.
//
// The life of a document: validate (collects every error) -> normalise (short forms become long ones, nulls go) ->
// merge (user's over defaults) -> apply_defaults -> check_complete.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"

namespace det::model {

enum class Type : std::uint8_t {
  kAny,  // any JSON, or what `check` says
  kBoolean,
  kInteger,
  kNumber,
  kString,
  kList,    // of `element`, or of objects when `object` is given
  kObject,  // of the shape `object`
  kMap,     // any keys; values as for kList
};

// Adds errors about `value` (never null) at `path`.
using CheckFn = void (*)(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
// Turns a valid value into its long form; the fields of `object`, if any, are those of the long form.
using NormaliseFn = void (*)(nlohmann::json& value);
// Both sides are normalised and not null; `ours` has priority.
using MergeFn = nlohmann::json (*)(const nlohmann::json& ours, const nlohmann::json& theirs);

struct ObjectSchema;

struct Field {
  std::string_view name;
  Type type = Type::kAny;
  const ObjectSchema* object = nullptr;
  Type element = Type::kAny;
  std::optional<std::int64_t> minimum = {};
  std::optional<std::int64_t> above = {};  // exclusive minimum
  std::optional<std::int64_t> maximum = {};
  std::span<const std::string_view> words = {};  // a string's allowed values
  std::string_view fallback = {};                // default as JSON text; empty: null
  bool required = false;                         // must be there at once
  bool eventually = false;                       // must be there after defaults and merging
  bool omitted_when_null = false;                // not in the complete form unless set
  bool dropped = false;                          // accepted and forgotten
  CheckFn check = nullptr;
  NormaliseFn normalise = nullptr;
  MergeFn merge = nullptr;  // otherwise: objects by field, maps by key, everything else ours
};

// One member of a union: the fields that come with one value of the tag.
struct Variant {
  std::string_view tag;
  std::span<const Field> fields;
  CheckFn check_complete = nullptr;
};

struct ObjectSchema {
  std::span<const Field> fields;
  CheckFn check = nullptr;           // of the whole object, after its fields
  CheckFn check_complete = nullptr;  // the same on the complete object
  // A union: `fields` are common to all; the value of the field named `tag` says which others there are. Without a tag
  // every variant's fields are allowed, so that defaults which name the tag can be merged in.
  std::string_view tag = {};
  std::span<const Variant> variants = {};
  std::string_view tag_error = {};
};

// Types, bounds, words, unknown keys, required fields, short forms. null counts as absent.
void validate(const ObjectSchema& schema, const nlohmann::json& value, std::string_view path, FieldErrors& errors);
// `value` must have passed validate().
void normalise(const ObjectSchema& schema, nlohmann::json& value);
// The fields of both; where both have one, `ours` wins or the field's rule decides. Either may be null.
[[nodiscard]] nlohmann::json merge(const ObjectSchema& schema, const nlohmann::json& ours,
                                   const nlohmann::json& theirs);
// Every field of the schema is there afterwards, with its default or null.
void apply_defaults(const ObjectSchema& schema, nlohmann::json& value);
// `X is a required property` for what must be there in the end, and the sections' own checks.
void check_complete(const ObjectSchema& schema, const nlohmann::json& value, std::string_view path,
                    FieldErrors& errors);

// Calls `visit` for each field that `value` may have: the common ones and those of its variant.
template <typename Visit>
void for_each_field(const ObjectSchema& schema, const Variant* variant, Visit visit) {
  for (const Field& field : schema.fields) visit(field);
  if (variant == nullptr) return;
  for (const Field& field : variant->fields) visit(field);
}
// The variant that `value`'s tag names; nullptr when there is none.
[[nodiscard]] const Variant* variant_of(const ObjectSchema& schema, const nlohmann::json& value);

}  // namespace det::model
