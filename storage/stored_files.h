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
  // Changes when the content does: an entity tag, a generation, a time of modification. Empty: the storage tells none.
  std::string version;

  bool operator==(const StoredFile&) const = default;
};

class StoredFiles {
 public:
  virtual ~StoredFiles() = default;
  // By path, each of which stays inside the checkpoint. kNotFound where there is nothing, kPermissionDenied where the
  // storage refuses us, kUnavailable where it does not answer.
  virtual Task<Result<std::vector<StoredFile>>> list() = 0;
  // Up to `length` bytes from `offset`, all that there are of them, of the version that was listed: kFailedPrecondition
  // or kNotFound where it is another one by now.
  virtual Task<Result<std::string>> read(StoredFile file, std::uint64_t offset, std::size_t length) = 0;
};

}  // namespace det::storage
