#include "store/sql.h"

#include <functional>
#include <stdexcept>

namespace det::store {

std::string statement_name(const std::string& statement) {
  return "s" + std::to_string(std::hash<std::string>{}(statement));
}

std::string text_array(const std::vector<std::string>& values) {
  std::string out = "{";
  for (const std::string& value : values) {
    if (out.size() > 1) out += ',';
    out += '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') out += '\\';
      if (c != '\0') out += c;
    }
    out += '"';
  }
  return out + "}";
}

std::string int_array(const std::vector<std::int64_t>& values) {
  std::string out = "{";
  for (const std::int64_t value : values) {
    if (out.size() > 1) out += ',';
    out += std::to_string(value);
  }
  return out + "}";
}

OneOrMany one_or_many(const std::vector<std::int64_t>& ids) {
  if (ids.size() == 1) return {.condition = "= $1::bigint", .parameter = std::to_string(ids[0])};
  return {.condition = "= ANY($1::bigint[])", .parameter = int_array(ids)};
}

std::string json_text(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // "\u0000" is the escape only after an even number of backslashes: "\\u0000" is text about one.
  for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
    if (text.compare(at, 6, "\\u0000") == 0) text.replace(at, 6, "\\ufffd");
    at += 2;
  }
  return text;
}

WallTime as_time(const pqxx::field& field) {
  // The session prints UTC as "+00"; RFC 3339 wants minutes.
  const std::string_view text(field.c_str(), field.size());
  // Programs before took times of reports that no text of RFC 3339 can name.
  if (text.ends_with("BC")) return WallTime(std::chrono::sys_days(std::chrono::year(1) / 1 / 1));
  if (text.find('-') > std::string_view("9999").size()) {
    return WallTime(std::chrono::sys_days(std::chrono::year(9999) / 12 / 31));
  }
  const auto time = parse_rfc3339(std::string(text) + ":00");
  if (!time) throw std::runtime_error("not a time: '" + std::string(field.c_str()) + "'");
  return *time;
}

std::optional<WallTime> as_optional_time(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return as_time(field);
}

nlohmann::json as_json(const pqxx::field& field) {
  if (field.is_null()) return nullptr;
  return nlohmann::json::parse(field.c_str(), field.c_str() + field.size());
}

std::string as_text(const pqxx::field& field) {
  return field.is_null() ? std::string() : std::string(field.c_str(), field.size());
}

Result<std::int64_t> page_offset(const Page& page, std::int64_t total) {
  const std::int64_t offset = page.offset < 0 ? std::max<std::int64_t>(total + page.offset, 0) : page.offset;
  if (offset > total) {
    return fail(ErrorCode::kInvalidArgument, "offset out of bounds", "offset");
  }
  return offset;
}

std::int64_t start_of(std::int64_t offset, std::int64_t total) {
  if (offset > total || offset < -total) return total;
  return offset < 0 ? total + offset : offset;
}

std::string_view direction(Order order) {
  return order == Order::kAscending ? " ASC NULLS LAST" : " DESC NULLS LAST";
}

std::string_view plain_direction(Order order) {
  return order == Order::kAscending ? " ASC" : " DESC";
}

std::optional<std::int64_t> page_limit(const Page& page) {
  if (page.limit <= 0) return std::nullopt;
  return page.limit;
}

void notify(pqxx::transaction_base& tx, const char* channel, const std::string& payload) {
  run_sql(tx, "SELECT pg_notify($1, $2)", channel, payload);
}

std::unexpected<Error> not_found(std::string_view kind, std::string_view id) {
  return fail(ErrorCode::kNotFound, std::string(kind) + " '" + std::string(id) + "' not found");
}

Status changed_one(const pqxx::result& result, std::string_view kind, std::string_view id) {
  if (result.affected_rows() == 0) return not_found(kind, id);
  return {};
}

}  // namespace det::store
