#pragma once

// Logs of programs that we start and that write into a file of ours for as long as they live. Any thread.

#include <cstdint>
#include <filesystem>

namespace det {

inline constexpr std::uintmax_t kLongLog = std::uintmax_t{16} << 20;

// Renames a log of more than kLongLog bytes to "<log>.1", in place of what had that name. Before the program starts:
// one that runs would go on writing into the renamed file. What cannot be renamed is left as it is.
void set_aside_if_long(const std::filesystem::path& log);

}  // namespace det
