#pragma once

// An experiment as the wire has it. Pure.

#include "api/services.h"
#include "wire/forms.h"

namespace det::api {

// Without secrets of its configuration.
[[nodiscard]] wire::Json experiment_json(const ApiServices& services, store::ExperimentView view);

}  // namespace det::api
