// How jemalloc, which the shipped program is linked with, treats memory: what is free for a second goes back to the
// machine. A day of large uploads otherwise stays resident for ever. Read by jemalloc before main(); builds without it
// never look.

#include "main/operator/allocator.h"

#include <cstddef>

extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "narenas:4,dirty_decay_ms:1000,muzzy_decay_ms:0";

[[gnu::weak]] int mallctl(const char* name, void* old, std::size_t* old_size, void* value, std::size_t size);
}

namespace det::main {

void give_free_memory_back() {
  bool on = true;
  if (mallctl != nullptr) mallctl("background_thread", nullptr, nullptr, &on, sizeof on);
}

}  // namespace det::main
