#pragma once

// DET_CHECK(condition, "why this cannot be"): for errors of the programmer. Logs the place and aborts, in every build.

namespace det::internal {
[[noreturn]] void check_failed(const char* condition, const char* why, const char* file, int line);
}

#define DET_CHECK(condition, why) \
  ((condition) ? static_cast<void>(0) : ::det::internal::check_failed(#condition, why, __FILE__, __LINE__))
