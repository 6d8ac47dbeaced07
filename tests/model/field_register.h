#pragma once

// tests/structure/fields.txt: every field that is accepted, and what acts on it or answers that nothing does.

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace det::model::test {

struct RegisteredField {
  std::string schema;    // "experiment", "master", "crd" or "chart"
  std::string path;      // "environment.image.cpu"
  std::string consumer;  // a file, "harness:FILE", "warning", "warning:PATH" (told about there), "refused"
};

// The rows of one schema.
inline std::vector<RegisteredField> registered_fields(const std::string& schema) {
  std::vector<RegisteredField> rows;
  std::ifstream file("tests/structure/fields.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    RegisteredField row;
    if (!(words >> row.schema >> row.path >> row.consumer) || row.schema != schema) continue;
    rows.push_back(std::move(row));
  }
  return rows;
}

inline std::set<std::string> paths_of(const std::vector<RegisteredField>& rows) {
  std::set<std::string> paths;
  for (const RegisteredField& row : rows) paths.insert(row.path);
  return paths;
}

}  // namespace det::model::test
