#pragma once

// Bodies of templates. Belongs to the io thread.

#include <optional>

#include "api/call.h"
#include "api/services.h"
#include "wire/forms.h"

namespace det::api {

// Of a body that is the configuration itself. kInvalidArgument for what is no object.
Task<Result<wire::Json>> read_template_config(ApiServices& services, const http::Request& request);

[[nodiscard]] std::unexpected<Error> no_template_config(const wire::Json& config);

// Whose templates this caller changes only, as the table of routes has it; nothing: anybody's.
[[nodiscard]] std::optional<model::UserId> changes_only_of(const Identity& caller);

}  // namespace det::api
