#pragma once

// By which name this machine is called, and dialled by tasks.

#include <cstdint>
#include <string>

#include "main/operator/serve_options.h"

namespace det::main {

// `fallback` where the machine does not say.
[[nodiscard]] std::string host_name(const char* fallback);

// Where tasks dial a server that listens as `options` say, on `port`, when nobody has said it otherwise.
[[nodiscard]] std::string default_task_url(const ServeOptions& options, std::uint16_t port);

}  // namespace det::main
