#pragma once

// Reading the recorded data of tests/searcher/data. Tests run in the root of the repository.

#include <bit>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::searcher {

inline std::vector<nlohmann::json> read_lines(const std::string& name) {
  std::ifstream file("tests/searcher/data/" + name);
  EXPECT_TRUE(file.is_open()) << name << ": run in the root of the repository";
  std::vector<nlohmann::json> values;
  for (std::string line; std::getline(file, line);) values.push_back(nlohmann::json::parse(line));
  EXPECT_FALSE(values.empty()) << name;
  return values;
}

// The file as one JSON value.
inline nlohmann::json read_whole(const std::string& name) {
  std::ifstream file("tests/searcher/data/" + name);
  EXPECT_TRUE(file.is_open()) << name << ": run in the root of the repository";
  return nlohmann::json::parse(file);
}

// The double that {"v": x, "bits": "hex"} stands for.
inline double exact(const nlohmann::json& value) {
  return std::bit_cast<double>(std::uint64_t{std::stoull(value.at("bits").get<std::string>(), nullptr, 16)});
}

}  // namespace det::searcher
