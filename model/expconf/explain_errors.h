#pragma once

// What the checks of a configuration found, in words for whoever wrote it: which value is wrong, what would work, and
// the name that was probably meant. The checks' own texts, which clients match on, stay inside. Pure; any thread.

#include <nlohmann/json_fwd.hpp>

#include "base/json_reader.h"
#include "model/expconf/schema.h"

namespace det::model {

// `written`: the document as somebody wrote it; `schema`: its table. Unknown keys of one object become an error each,
// so that each can have a line of its own. Paths stay, but that a wrong word of a union gets its own. At most 200
// errors are looked at.
void explain_errors(FieldErrors& errors, const nlohmann::json& written, const ObjectSchema& schema);

}  // namespace det::model
