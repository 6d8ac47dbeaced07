#pragma once

// What a shim has to know of the first process of its container before it passes TERM on. Linux. Any thread.

#include <string>

namespace det::local {

// Whether SIGTERM would reach the program: it catches, blocks or ignores it. As the first process of its process space
// it would not even notice a signal that it has done nothing about yet. False as well while the process is still
// `bwrap` (path of the program) making the sandbox, and when it is gone.
[[nodiscard]] bool hears_term(int pid, const std::string& bwrap);

}  // namespace det::local
