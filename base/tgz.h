#pragma once

// Packs model code as the harness wants it: a gzipped tar. Output is the same for the same input (no time of day in
// it), so that its hash names it. Pure, but slow for large input: callers on the io thread use run_on.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace det {

struct TarEntry {
  enum class Type : std::uint8_t { kFile, kDirectory };
  std::string path;  // relative, '/' between parts, no leading "./"
  Type type = Type::kFile;
  std::uint32_t mode = 0644;  // permission bits only
  std::int64_t mtime = 0;     // seconds since 1970; packed and unpacked as one of the years 1970 to 9999
  std::string content;

  bool operator==(const TarEntry&) const = default;
};

// kInvalidArgument names a path that is absolute, empty or climbs out with "..".
[[nodiscard]] Result<std::string> pack_tgz(const std::vector<TarEntry>& entries);

// Of one archive: a header of nothing compresses to three bytes.
inline constexpr std::size_t kMostTarEntries = 100'000;
inline constexpr std::size_t kMostTarNames = std::size_t{16} << 20;  // bytes of their paths

// Reads at most `max_bytes` of content in all, and of entries as many as these constants say; what is neither a file
// nor a directory is refused.
[[nodiscard]] Result<std::vector<TarEntry>> unpack_tgz(const std::string& bytes, std::uint64_t max_bytes);

}  // namespace det
