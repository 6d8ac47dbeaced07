#pragma once

// Bodies of templates. Belongs to the io thread.

#include "api/call.h"
#include "api/services.h"
#include "wire/forms.h"

namespace det::api {

// Of a body that is the configuration itself. kInvalidArgument for what is no object.
Task<Result<wire::Json>> read_template_config(ApiServices& services, const http::Request& request);

[[nodiscard]] std::unexpected<Error> no_template_config(const wire::Json& config);

}  // namespace det::api
