// How jemalloc, which the shipped program is linked with, treats memory: what is free for a second goes back to the
// machine, also from a program that does nothing more. A day of large uploads otherwise stays resident for ever. Read
// by jemalloc before main(); builds without it never look.

extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,narenas:4,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
