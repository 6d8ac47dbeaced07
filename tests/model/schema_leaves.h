#pragma once

// The fields of a schema that hold values, as dotted paths.

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/expconf/schema.h"

namespace det::model::test {

inline void add_leaves(const ObjectSchema& schema, const std::string& path, std::set<std::string>& leaves) {
  const auto add = [&](const Field& field) {
    const std::string own = child_path(path, field.name);
    if (field.object != nullptr) {
      add_leaves(*field.object, own, leaves);
    } else {
      leaves.insert(own);
    }
  };
  for (const Field& field : schema.fields) add(field);
  for (const Variant& variant : schema.variants) {
    for (const Field& field : variant.fields) add(field);
  }
}

inline std::set<std::string> leaves_of(const ObjectSchema& schema) {
  std::set<std::string> leaves;
  add_leaves(schema, "", leaves);
  return leaves;
}

inline nlohmann::json::json_pointer pointer_of(std::string path) {
  for (char& c : path) c = c == '.' ? '/' : c;
  return nlohmann::json::json_pointer("/" + path);
}

}  // namespace det::model::test
