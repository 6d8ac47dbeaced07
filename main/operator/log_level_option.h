#pragma once

#include <CLI/CLI.hpp>

#include "base/log.h"

namespace det::main {

// Adds --log-level, in any case; a word that is none of the levels is refused with the list of them.
void add_log_level_option(CLI::App& app, LogLevel& level);

}  // namespace det::main
