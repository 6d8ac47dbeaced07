#include "local/kubeapi/json_path.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

// "text" or 'text', without the quotes.
std::optional<std::string> unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != text.back() || (text.front() != '"' && text.front() != '\'')) {
    return std::nullopt;
  }
  return std::string(text.substr(1, text.size() - 2));
}

std::string read_name(std::string_view& rest) {
  std::string name;
  while (!rest.empty() && rest.front() != '.' && rest.front() != '[') {
    if (rest.front() == '\\' && rest.size() > 1) rest.remove_prefix(1);
    name += rest.front();
    rest.remove_prefix(1);
  }
  return name;
}

}  // namespace

Result<JsonPath> JsonPath::parse(const std::string& text) {
  const auto wrong = [&text] {
    return fail(ErrorCode::kInvalidArgument, "'" + text + "' is not a simple JSON path such as .status.state");
  };
  std::string_view rest = text;
  if (rest.size() > 2 && rest.front() == '{' && rest.back() == '}') rest = rest.substr(1, rest.size() - 2);
  if (rest.empty() || (rest.front() != '.' && rest.front() != '[')) return wrong();
  JsonPath path;
  while (!rest.empty()) {
    if (rest.front() == '.') {
      rest.remove_prefix(1);
      if (!rest.empty() && rest.front() == '[') continue;
      std::string name = read_name(rest);
      if (name.empty()) return wrong();
      path.steps_.emplace_back(Member{std::move(name)});
      continue;
    }
    const auto end = rest.find(']');
    if (rest.front() != '[' || end == std::string_view::npos) return wrong();
    const std::string_view inside = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    std::size_t place = 0;
    const auto [stop, error] = std::from_chars(inside.data(), inside.data() + inside.size(), place);
    if (inside == "*") {
      path.steps_.emplace_back(All{});
    } else if (auto name = unquoted(inside)) {
      path.steps_.emplace_back(Member{std::move(*name)});
    } else if (error == std::errc() && stop == inside.data() + inside.size()) {
      path.steps_.emplace_back(Index{place});
    } else if (inside.starts_with("?(@.") && inside.ends_with(")")) {
      const std::string_view test = inside.substr(4, inside.size() - 5);
      const auto equals = test.find("==");
      if (equals == std::string_view::npos) return wrong();
      auto value = unquoted(test.substr(equals + 2));
      if (!value) return wrong();
      path.steps_.emplace_back(Where{std::string(test.substr(0, equals)), std::move(*value)});
    } else {
      return wrong();
    }
  }
  return path;
}

std::vector<const json*> JsonPath::find(const json& object) const {
  std::vector<const json*> found = {&object};
  for (const auto& step : steps_) {
    std::vector<const json*> next;
    for (const json* at : found) {
      if (const auto* member = std::get_if<Member>(&step)) {
        if (!at->is_object()) continue;
        const auto value = at->find(member->name);
        if (value != at->end()) next.push_back(&*value);
      } else if (const auto* index = std::get_if<Index>(&step)) {
        if (at->is_array() && index->place < at->size()) next.push_back(&(*at)[index->place]);
      } else if (const auto* where = std::get_if<Where>(&step)) {
        if (!at->is_array()) continue;
        for (const json& item : *at) {
          if (get_string(item, where->name) == where->value) next.push_back(&item);
        }
      } else if (at->is_array() || at->is_object()) {
        for (const json& item : *at) next.push_back(&item);
      }
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace det::local::kubeapi
