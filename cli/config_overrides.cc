#include "cli/config_overrides.h"

#include "base/yaml.h"

namespace det::cli {
namespace {

// Always a list, even of one.
constexpr std::string_view kListKey = "bind_mounts";

Result<Json> read_value(const std::string& key, const std::string& text) {
  const auto read = [](const std::string& yaml) -> Result<Json> { return parse_yaml(yaml); };
  if (!text.starts_with('[') && !text.starts_with('{') && text.find(',') != std::string::npos) {
    Json list = Json::array();
    std::size_t start = 0;
    while (true) {
      const auto comma = text.find(',', start);
      auto item = read(text.substr(start, comma == std::string::npos ? comma : comma - start));
      if (!item) return item;
      list.push_back(std::move(*item));
      if (comma == std::string::npos) return list;
      start = comma + 1;
    }
  }
  auto value = read(text);
  if (value && key == kListKey && !value->is_array()) return Json::array({std::move(*value)});
  return value;
}

void merge(Json& into, const Json& value) {
  if (!into.is_object() || !value.is_object()) {
    into = value;
    return;
  }
  for (const auto& [key, member] : value.items()) merge(into[key], member);
}

}  // namespace

Result<Json> with_overrides(Json config, const std::vector<std::string>& overrides) {
  for (const std::string& option : overrides) {
    const auto equals = option.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(
          ErrorCode::kInvalidArgument,
          "--config '" + option + "': write key=value, nested keys with dots, for example resources.slots_per_trial=4",
          option);
    }
    const std::string path = option.substr(0, equals);
    auto value = read_value(path, option.substr(equals + 1));
    if (!value) {
      return fail(ErrorCode::kInvalidArgument,
                  "--config '" + option + "': the value is no YAML: " + value.error().message, path);
    }
    Json* place = &config;
    std::size_t start = 0;
    while (true) {
      const auto dot = path.find('.', start);
      const std::string key = path.substr(start, dot == std::string::npos ? dot : dot - start);
      if (key.empty()) {
        return fail(ErrorCode::kInvalidArgument, "--config '" + option + "': '" + path + "' has an empty part", path);
      }
      // What stands there and is no object gives way, as it does in the Python command line.
      if (!place->is_object()) *place = Json::object();
      place = &(*place)[key];
      if (dot == std::string::npos) break;
      start = dot + 1;
    }
    merge(*place, *value);
  }
  return config;
}

}  // namespace det::cli
