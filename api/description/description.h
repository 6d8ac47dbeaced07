#pragma once

// The files of this folder as they were written: what each route is for, takes and gives. Pure.

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace det::api {

struct TagText {
  std::string name;
  std::string about;
};

struct RouteText {
  std::string tag;
  nlohmann::json written;
};

struct Description {
  std::vector<TagText> tags;
  std::map<std::string, RouteText> routes;            // by "GET /api/v1/trials/{id}"
  std::map<std::string, nlohmann::json> forms;        // by name
  std::map<std::string, nlohmann::json> parameters;   // groups of query parameters, by the group's name
  std::map<std::string, nlohmann::json> path_places;  // by "trials/{id}": a name and what stands before it
};

using DescriptionFiles = std::vector<std::pair<std::string_view, std::string_view>>;

// *.yaml of this folder: compiled in by det_embed_files of CMakeLists.txt.
[[nodiscard]] DescriptionFiles description_files();

// kInvalidArgument, with the file, for what is no YAML, or says something twice.
[[nodiscard]] Result<Description> read_description(const DescriptionFiles& files);

}  // namespace det::api
