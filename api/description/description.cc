#include "api/description/description.h"

#include "base/json_get.h"
#include "base/yaml.h"

namespace det::api {

namespace {

using nlohmann::json;

Status said_twice(const std::string& name) {
  return fail(ErrorCode::kInvalidArgument, name + " is described twice");
}

Status add_named(const json& from, std::map<std::string, json>& into) {
  for (const auto& [name, written] : from.items()) {
    if (!into.emplace(name, written).second) return said_twice(name);
  }
  return {};
}

Status add_file(const json& file, Description& into) {
  const std::string tag = get_string(file, "tag");
  if (!tag.empty()) into.tags.push_back({.name = tag, .about = get_string(file, "about")});
  for (const auto& [route, written] : get_object(file, "routes").items()) {
    if (!into.routes.emplace(route, RouteText{.tag = tag, .written = written}).second) return said_twice(route);
  }
  DET_TRY(add_named(get_object(file, "forms"), into.forms));
  DET_TRY(add_named(get_object(file, "parameters"), into.parameters));
  return add_named(get_object(file, "path"), into.path_places);
}

}  // namespace

Result<Description> read_description(const DescriptionFiles& files) {
  Description all;
  for (const auto& [name, text] : files) {
    const auto file = parse_yaml(text);
    if (!file) return std::unexpected(with_context(file.error(), std::string(name)));
    const Status added = add_file(*file, all);
    if (!added) return std::unexpected(with_context(added.error(), std::string(name)));
  }
  return all;
}

}  // namespace det::api
