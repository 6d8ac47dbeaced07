#include "store/schema.h"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace det::store {

// Generated from store/schema/*.sql (cmake/EmbedFiles.cmake), sorted by name.
std::vector<std::pair<std::string_view, std::string_view>> schema_files();

std::vector<pg::Migration> schema_migrations() {
  std::vector<pg::Migration> steps;
  for (const auto& [name, sql] : schema_files()) {
    const int number = std::atoi(std::string(name.substr(0, 3)).c_str());
    steps.push_back({.number = number, .name = std::string(name.substr(0, name.find('.'))), .sql = std::string(sql)});
  }
  return steps;
}

}  // namespace det::store
