#pragma once

// The files of an upload (v1File) packed as the harness wants them. Slow for large uploads: callers use a pool.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "wire/request_fields.h"

namespace det::api {

inline constexpr std::uint64_t kMaxContextBytes = std::uint64_t{96} << 20;  // decoded, as upstream's server takes

struct PackedFiles {
  std::string archive;  // a gzipped tar
  std::string sha256;   // of it

  [[nodiscard]] bool empty() const { return archive.empty(); }  // there are none
};

// Of the field `name` (a list; absent: none). Modes keep their permission bits, times are kept, owners are left to the
// pod. kInvalidArgument names the entry and what is wrong with it.
[[nodiscard]] Result<PackedFiles> pack_files(const wire::RequestFields& fields, const std::string& name);

}  // namespace det::api
