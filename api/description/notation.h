#pragma once

// How the files of this folder (common.yaml says the rules) write what one value may be: a text as in "required list of
// integer 0..10 = 3 | At most five.", a map of such for an object with just these members, or {one of: [...]}. Pure.

#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace det::api {

struct ValueForm {
  nlohmann::json schema;     // as OpenAPI 3.0 writes it, with default and bounds
  std::string text;          // what people read about it; empty: nothing
  bool is_required = false;  // a request lacks it at its peril; answers do not say
};

// kInvalidArgument for what does not follow the rules.
[[nodiscard]] Result<ValueForm> read_value_form(const nlohmann::json& written);

// Where OpenAPI finds the form `name`: "#/components/schemas/v1Experiment".
[[nodiscard]] std::string form_reference(const std::string& name);

}  // namespace det::api
