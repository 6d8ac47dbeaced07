#pragma once

// What a later edit of an accepted configuration means to change. To write down what counts anyway, and to take out
// what is the default, changes nothing. Of an experiment as of another task. Pure.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/expconf/schema.h"

namespace det::model {

// What became of a configuration. Borrowed for the call.
struct FrozenConfig {
  const ObjectSchema& schema;  // of a part of it, such as kExperimentPartSchema
  const nlohmann::json& document;
  bool has_template = false;
};

// The paths of the fields with which `now` would have been accepted as something else, sorted, each once, as deep as
// people wrote them ("searcher.max_trials"; lists are one field). `accepted` and `now`: the configuration as people
// wrote it then and now. What was taken out counts as unchanged only where nothing but the built-in default can have
// been under it: the template and the cluster's defaults of then are not known. Of a `now` that is no valid
// configuration every difference counts.
[[nodiscard]] std::vector<std::string> changed_fields(const nlohmann::json& accepted, const nlohmann::json& now,
                                                      const FrozenConfig& frozen);

}  // namespace det::model
