#pragma once

// Tables that describe a configuration: each section of the experiment configuration is a list of fields with type,
// bounds, default and merge rule, and four functions do with such a table all that is ever done with a section. A field
// more is a row more. The tables are constants; everything here is pure.
//
// The life of a document: validate (collects every error) -> normalise (short forms become long ones, nulls go) ->
// merge (user's over defaults) -> apply_defaults -> check_complete. model/expconf/schema_catalogue.h names the tables.

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

// What a document is held against: what Determined takes, or also what of that cannot run here.
enum class Rules : std::uint8_t { kSane, kRunnable };
// What is put in where there is nothing.
enum class Fill : std::uint8_t { kDefaults, kNulls };

// Adds errors about `value` (not null, unless the field says that null is a value) at `path`.
using CheckFn = void (*)(const nlohmann::json& value, std::string_view path, FieldErrors& errors);
// Turns a valid value into its long form; the fields of `object`, if any, are those of the long form.
using NormaliseFn = void (*)(nlohmann::json& value);
// Both sides are normalised and not null; `ours` has priority.
using MergeFn = nlohmann::json (*)(const nlohmann::json& ours, const nlohmann::json& theirs);
// Corrects what merging field by field made of a union's member.
using RegroupFn = void (*)(const nlohmann::json& ours, const nlohmann::json& theirs, nlohmann::json& merged);

struct ObjectSchema;

struct Field {
  std::string_view name;
  Type type = Type::kAny;
  const ObjectSchema* object = nullptr;
  Type element = Type::kAny;
  std::optional<std::int64_t> minimum = {};
  std::optional<std::int64_t> above = {};  // exclusive minimum
  std::optional<std::int64_t> maximum = {};
  std::size_t most_items = 0;  // of a list that is to run; longer ones are refused unread. 0: any number
  std::span<const std::string_view> words = {};  // a string's allowed values
  std::string_view fallback = {};                // default as JSON text; empty: null
  bool required = false;                         // must be there at once
  bool eventually = false;                       // must be there after defaults and merging
  bool omitted_when_null = false;                // not in the complete form unless set
  bool dropped = false;                          // accepted and forgotten
  bool null_is_value = false;                    // of a value that stands alone: null is not "absent"
  CheckFn check = nullptr;
  CheckFn check_runnable = nullptr;  // what upstream lets through and would fail later; of the right type, no more
  NormaliseFn normalise = nullptr;
  MergeFn merge = nullptr;         // otherwise: objects by field, maps by key, everything else ours
  NormaliseFn complete = nullptr;  // after the default was filled in
  CheckFn check_item = nullptr;    // of each element, in place of `object` and `element`
  NormaliseFn normalise_item = nullptr;
};

// One member of a union: the fields that come with one value of the tag.
struct Variant {
  std::string_view tag;
  std::span<const Field> fields;
  CheckFn check_complete = nullptr;
  RegroupFn regroup = nullptr;
  bool is_open = false;  // the fields of all other variants are accepted too, and forgotten
  bool is_gone = false;  // read, and refused later: nobody is told to use it
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
void validate(const ObjectSchema& schema, const nlohmann::json& value, std::string_view path, FieldErrors& errors,
              Rules rules = Rules::kSane);
// `value` must have passed validate(). May be repeated.
void normalise(const ObjectSchema& schema, nlohmann::json& value);
// The fields of both; where both have one, `ours` wins or the field's rule decides. Either may be null.
[[nodiscard]] nlohmann::json merge(const ObjectSchema& schema, const nlohmann::json& ours,
                                   const nlohmann::json& theirs);
// Every field of the schema is there afterwards: as it was, with its default, or null. With kNulls nothing but nulls is
// added, and what is null stays so.
void fill(const ObjectSchema& schema, nlohmann::json& value, Fill with);
// `X is a required property` for what must be there in the end, and the sections' own checks.
void check_complete(const ObjectSchema& schema, const nlohmann::json& value, std::string_view path,
                    FieldErrors& errors);

// The same for a value that is not an object, or not always.
void validate(const Field& field, const nlohmann::json& value, std::string_view path, FieldErrors& errors,
              Rules rules = Rules::kSane);
void normalise(const Field& field, nlohmann::json& value);
[[nodiscard]] nlohmann::json merge(const Field& field, const nlohmann::json& ours, const nlohmann::json& theirs);
void fill(const Field& field, nlohmann::json& value, Fill with);
void check_complete(const Field& field, const nlohmann::json& value, std::string_view path, FieldErrors& errors);

// The long form of the field is one object (a list or a map holds several).
[[nodiscard]] bool is_section(const Field& field);

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
