#pragma once

// Connection parameters: the user's URL, completed with time-outs that notice a dead peer. Pure; any thread.

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det::pg {

// libpq key=value text: what `url` says, plus connect_timeout, TCP keepalives and application_name where it does not.
// kInvalidArgument for text that libpq cannot read (the message does not repeat it: it can hold a password).
[[nodiscard]] Result<std::string> connection_info(const std::string& url, std::string_view application_name,
                                                  std::chrono::milliseconds connect_timeout);

// Statements to run once per connection: UTC, ISO dates, time-outs (0: none).
[[nodiscard]] std::string session_settings(std::chrono::milliseconds statement_timeout);

}  // namespace det::pg
