#include "base/set_aside.h"

#include <system_error>

namespace det {

void set_aside_if_long(const std::filesystem::path& log) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(log, failed);
  if (failed || size <= kLongLog) return;
  std::filesystem::path aside = log;
  aside += ".1";
  std::filesystem::rename(log, aside, failed);
}

}  // namespace det
