#pragma once

// What stands at a path of a configuration, and what may stand there. Pure; any thread.

#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/expconf/schema.h"

namespace det::model {

struct SchemaPlace {
  const nlohmann::json* value = nullptr;  // nullptr: nothing was written there
  const ObjectSchema* schema = nullptr;   // nullptr: it is no object of a table
};

// "searcher" or "bind_mounts[0].host_path" below `written`, whose table is `root`. A key with a dot in it is not found.
// What comes back points into both.
[[nodiscard]] SchemaPlace place_at(std::string_view path, const nlohmann::json& written, const ObjectSchema& root);

// The field of the table, or of one of its variants; nullptr: there is none.
[[nodiscard]] const Field* field_named(const ObjectSchema& schema, std::string_view name);
// The fields that may be written there; of a union without its tag those of all variants.
[[nodiscard]] std::vector<std::string_view> field_names(const SchemaPlace& place);

// nullptr: it is no object, or has no such member.
[[nodiscard]] const nlohmann::json* member_of(const nlohmann::json* object, std::string_view name);

}  // namespace det::model
