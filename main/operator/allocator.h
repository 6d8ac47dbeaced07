#pragma once

namespace det::main {

// From here on, what is free for a second goes back to the machine, also while the program does nothing. It takes a
// thread, which a sandbox's first process may not have: Linux lets an ordinary user's process with threads make no user
// namespace. Does nothing in builds without jemalloc.
void give_free_memory_back();

}  // namespace det::main
