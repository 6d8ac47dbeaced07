#pragma once

#include <set>

#include <nlohmann/json.hpp>

namespace det::model {

// `ours`, and behind it the objects of `theirs` whose `key` none of ours has. Each object has that key. Lists of users
// may be long.
[[nodiscard]] inline nlohmann::json unite_by(const char* key, const nlohmann::json& ours,
                                             const nlohmann::json& theirs) {
  std::set<nlohmann::json> known;
  for (const nlohmann::json& mine : ours) known.insert(mine.at(key));
  nlohmann::json united = ours;
  for (const nlohmann::json& one : theirs) {
    if (!known.contains(one.at(key))) united.push_back(one);
  }
  return united;
}

}  // namespace det::model
