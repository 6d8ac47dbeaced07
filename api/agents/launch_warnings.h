#pragma once

// What clients are told when they start something that has to wait for more nodes. Belongs to the io thread.

#include <cstdint>
#include <string>

#include "api/services.h"
#include "wire/forms.h"

namespace det::api {

// ["LAUNCH_WARNING_CURRENT_SLOTS_EXCEEDED"] where one trial or task wants more slots than all nodes of its pool have by
// now, else []. Nodes that cannot be seen are no reason to warn, nor is a pool without any: its nodes come when asked
// for.
Task<wire::Json> launch_warnings(ApiServices& services, std::string pool, std::int64_t slots);

}  // namespace det::api
