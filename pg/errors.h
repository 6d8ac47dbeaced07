#pragma once

// What PostgreSQL's error codes mean to callers. Pure; any thread.

#include <string>
#include <string_view>

#include "base/result.h"

namespace det::pg {

// From a SQLSTATE of five characters; anything else is kUnavailable (libpq has none for a lost connection).
[[nodiscard]] ErrorCode code_of_sqlstate(std::string_view sqlstate);

// An Error with the server's first line as its message. Statements and values are left out: they can hold user data.
[[nodiscard]] Error error_of(std::string_view sqlstate, std::string_view server_message);

}  // namespace det::pg
