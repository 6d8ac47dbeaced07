#include "http/message.h"

#include <strings.h>

#include <algorithm>

namespace det::http {

namespace {
bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}
}  // namespace

std::optional<std::string_view> Headers::find(std::string_view name) const {
  const auto at = std::ranges::find_if(fields_, [&](const auto& field) { return same_name(field.first, name); });
  if (at == fields_.end()) return std::nullopt;
  return at->second;
}

std::optional<std::string_view> Params::find(std::string_view name) const {
  const auto at = std::ranges::find_if(fields_, [&](const auto& field) { return field.first == name; });
  if (at == fields_.end()) return std::nullopt;
  return at->second;
}

std::vector<std::string> Params::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : fields_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

Response Response::json(std::string text, int status) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(text);
  return response;
}

Response Response::text(std::string text, int status) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text);
  return response;
}

Response Response::see_other(std::string location) {
  Response response;
  response.status = 303;
  response.headers.add("Location", std::move(location));
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Referrer-Policy", "no-referrer");
  return response;
}

Response Response::dropped() {
  Response response;
  response.drop_connection = true;
  return response;
}

}  // namespace det::http
