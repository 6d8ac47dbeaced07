#pragma once

// What the .cc files of store/ share: parameters and fields of libpqxx as our types. Not for other folders.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>
#include <pqxx/pqxx>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"
#include "store/page.h"

namespace det::store {

// The name under which a connection keeps `statement` prepared.
[[nodiscard]] std::string statement_name(const std::string& statement);

// Runs one statement with its parameters, prepared on its connection the first time: planning some of ours takes longer
// than running them. Statements are few, so nothing is ever forgotten; do not build values into their text.
template <typename... Args>
pqxx::result run_sql(pqxx::transaction_base& tx, const std::string& statement, Args&&... args) {
  const std::string name = statement_name(statement);
  tx.conn().prepare(name, statement);
  return tx.exec_prepared(name, std::forward<Args>(args)...);
}

// The same for what must give exactly one row; throws otherwise.
template <typename... Args>
pqxx::row run_sql1(pqxx::transaction_base& tx, const std::string& statement, Args&&... args) {
  const std::string name = statement_name(statement);
  tx.conn().prepare(name, statement);
  return tx.exec_prepared1(name, std::forward<Args>(args)...);
}

// An array literal for a text[] or uuid[] parameter.
[[nodiscard]] std::string text_array(const std::vector<std::string>& values);
// An array literal for a bigint[] parameter.
[[nodiscard]] std::string int_array(const std::vector<std::int64_t>& values);

template <typename Tag>
[[nodiscard]] std::string id_array(const std::vector<StrongId<Tag>>& ids) {
  std::vector<std::int64_t> values;
  for (const auto id : ids) values.push_back(id.value);
  return int_array(values);
}

// The same, or NULL for nothing.
template <typename Tag>
[[nodiscard]] std::optional<std::string> id_array_or_null(const std::optional<std::vector<StrongId<Tag>>>& ids) {
  return ids ? std::optional(id_array(*ids)) : std::nullopt;
}

// "= $1" for one id, "= ANY($1)" for several, with the parameter. PostgreSQL plans the first once and the second each
// time anew, which with some of our statements takes longer than all the rest.
struct OneOrMany {
  std::string condition;
  std::string parameter;
};
[[nodiscard]] OneOrMany one_or_many(const std::vector<std::int64_t>& ids);

// The word of an enum, for a text parameter (libpqxx 6.4 does not take string_view).
template <typename Enum>
[[nodiscard]] std::string word(Enum value) {
  return std::string(to_string(value));
}

// Words of an enum, for "state = ANY($1)".
template <typename Enum>
[[nodiscard]] std::string word_array(const std::vector<Enum>& values) {
  std::vector<std::string> words;
  for (const Enum value : values) words.emplace_back(to_string(value));
  return text_array(words);
}

// JSON for a json or jsonb parameter: bytes that are not UTF-8 and NUL characters, which PostgreSQL refuses, become
// U+FFFD.
[[nodiscard]] std::string json_text(const nlohmann::json& value);

// Fields. A wrong value in the database throws, as libpqxx does; the pool turns that into kInternal.
[[nodiscard]] WallTime as_time(const pqxx::field& field);
[[nodiscard]] std::optional<WallTime> as_optional_time(const pqxx::field& field);
[[nodiscard]] nlohmann::json as_json(const pqxx::field& field);  // NULL is null
[[nodiscard]] std::string as_text(const pqxx::field& field);     // NULL is empty

template <typename T>
[[nodiscard]] std::optional<T> as_optional(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return field.as<T>();
}

template <typename Id>
[[nodiscard]] std::optional<Id> as_optional_id(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return Id{field.as<std::int64_t>()};
}

// `parse` is model's; a word it does not know throws.
template <typename Parse>
[[nodiscard]] auto as_state(const pqxx::field& field, Parse parse) {
  const auto state = parse(field.c_str());
  if (!state) throw std::runtime_error("unknown state '" + std::string(field.c_str()) + "' in the database");
  return *state;
}

// Where a page starts among `total` rows. kInvalidArgument "offset out of bounds" when that is after the end.
[[nodiscard]] Result<std::int64_t> page_offset(const Page& page, std::int64_t total);
// The same where Determined answers with an empty page behind the end: lists of experiments, trials, runs and
// workloads.
[[nodiscard]] std::int64_t start_of(std::int64_t offset, std::int64_t total);
// " ASC" or " DESC"; NULLS LAST either way.
[[nodiscard]] std::string_view direction(Order order);
// For what is never NULL: an index is read backwards only when the order does not speak of NULLs.
[[nodiscard]] std::string_view plain_direction(Order order);
// LIMIT for a parameter: NULL for "all".
[[nodiscard]] std::optional<std::int64_t> page_limit(const Page& page);

// NOTIFY inside the transaction.
void notify(pqxx::transaction_base& tx, const char* channel, const std::string& payload);

// "experiment '7' not found".
[[nodiscard]] std::unexpected<Error> not_found(std::string_view kind, std::string_view id);

// PostgreSQL's kFailedPrecondition etc. are for broken rules; a change that matched no row is this.
[[nodiscard]] Status changed_one(const pqxx::result& result, std::string_view kind, std::string_view id);

}  // namespace det::store
