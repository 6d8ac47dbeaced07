#pragma once

// Users by the names that people know them by. Belongs to one thread.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "cli/master_client.h"

namespace det::cli {

// kNotFound when there is none of that name.
Task<Result<std::int64_t>> user_id(MasterClient client, std::string name);

}  // namespace det::cli
