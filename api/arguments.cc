#include "api/arguments.h"

#include "base/parse_integer.h"
#include "wire/request_fields.h"

namespace det::api {

Result<std::int64_t> path_id(const http::Request& request, std::string_view name) {
  const std::string_view text = request.params.get(name);
  if (const auto id = parse_integer(text); id && *id > 0) return *id;
  return fail(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is not an id: a positive number is expected",
              std::string(name));
}

std::string path_text(const http::Request& request, std::string_view name) {
  return std::string(request.params.get(name));
}

std::optional<std::string> QueryArguments::text(std::string_view name) const {
  auto value = query_.find(name);
  if (!value) value = query_.find(wire::snake_case(name));
  if (!value) return std::nullopt;
  return std::string(*value);
}

std::vector<std::string> QueryArguments::texts(std::string_view name) const {
  auto values = query_.all(name);
  return values.empty() ? query_.all(wire::snake_case(name)) : values;
}

std::optional<std::int64_t> QueryArguments::integer(std::string_view name) {
  const auto value = text(name);
  if (!value || value->empty()) return std::nullopt;
  const auto parsed = parse_integer(*value);
  if (!parsed) wrong(name, *value, "an integer");
  return parsed;
}

std::vector<std::int64_t> QueryArguments::integers(std::string_view name) {
  std::vector<std::int64_t> out;
  for (const std::string& value : texts(name)) {
    if (const auto parsed = parse_integer(value)) {
      out.push_back(*parsed);
    } else {
      wrong(name, value, "an integer");
    }
  }
  return out;
}

std::optional<bool> QueryArguments::boolean(std::string_view name) {
  const auto value = text(name);
  if (!value || value->empty()) return std::nullopt;
  if (*value == "true" || *value == "True" || *value == "1") return true;
  if (*value == "false" || *value == "False" || *value == "0") return false;
  wrong(name, *value, "true or false");
  return std::nullopt;
}

std::optional<WallTime> QueryArguments::time(std::string_view name) {
  const auto value = text(name);
  if (!value || value->empty()) return std::nullopt;
  const auto parsed = parse_rfc3339(*value);
  if (!parsed) wrong(name, *value, "a time like 2026-11-21T02:00:00Z");
  return parsed;
}

store::Page QueryArguments::page() {
  store::Page page;
  page.offset = integer("offset").value_or(0);
  page.limit = integer("limit").value_or(0);
  if (page.limit < 0) wrong("limit", std::to_string(page.limit), "zero (everything) or more");
  return page;
}

std::optional<store::Order> QueryArguments::order() {
  const auto value = text("orderBy");
  if (!value || value->empty() || *value == "ORDER_BY_UNSPECIFIED") return std::nullopt;
  if (*value == "ORDER_BY_ASC") return store::Order::kAscending;
  if (*value == "ORDER_BY_DESC") return store::Order::kDescending;
  wrong("orderBy", *value, "ORDER_BY_ASC or ORDER_BY_DESC");
  return std::nullopt;
}

void QueryArguments::wrong(std::string_view name, std::string_view value, std::string_view wanted) {
  if (!status_) return;
  status_ = fail(ErrorCode::kInvalidArgument,
                 std::string(name) + ": '" + std::string(value) + "' is not " + std::string(wanted), std::string(name));
}

}  // namespace det::api
