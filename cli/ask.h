#pragma once

// Questions to the person at the terminal. Linux. Blocking; one thread.

#include <optional>
#include <string>

namespace det::cli {

// One line of standard input, so that scripts can answer too. What is secret is not shown, and is asked for on the
// terminal itself (or, where standard input is none, on standard error), because standard output may be data. Nothing
// at the end of the input or when a signal (Ctrl-C) interrupts.
[[nodiscard]] std::optional<std::string> ask(const std::string& prompt, bool secret);

}  // namespace det::cli
