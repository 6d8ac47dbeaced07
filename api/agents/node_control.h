#pragma once

// Takes nodes and their slots away from new work, and gives them back, by patches of Node objects. Belongs to the io
// thread.

#include <string>

#include "api/call.h"

namespace det::api {

// Of whom nothing is missing: kPermissionDenied, kNotFound (an agent or slot of no node), kFailedPrecondition (a cordon
// that is not ours), kUnimplemented (slots, where another scheduler decides).
Task<Status> enable_node(ApiServices& services, std::string node);
// With `drains` what runs there goes on, else it goes on elsewhere.
Task<Status> disable_node(ApiServices& services, std::string node, bool drains);
Task<Status> enable_slot_of(ApiServices& services, std::string node, int slot);
Task<Status> disable_slot_of(ApiServices& services, std::string node, int slot, bool drains);

}  // namespace det::api
