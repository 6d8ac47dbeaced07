#pragma once

// The files of one checkpoint, wherever they are. Belongs to the io thread.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace det::storage {

// More files than that are not listed: kResourceExhausted.
inline constexpr std::size_t kMostFiles = 200'000;

struct StoredFile {
  std::string path;  // within the checkpoint; ends in '/': a folder
  std::uint64_t bytes = 0;

  bool operator==(const StoredFile&) const = default;
};

class StoredFiles {
 public:
  virtual ~StoredFiles() = default;
  // By path. kNotFound where there is nothing, kPermissionDenied where the storage refuses us, kUnavailable where it
  // does not answer.
  virtual Task<Result<std::vector<StoredFile>>> list() = 0;
  // Up to `length` bytes from `offset`, all that there are of them.
  virtual Task<Result<std::string>> read(StoredFile file, std::uint64_t offset, std::size_t length) = 0;
};

}  // namespace det::storage
