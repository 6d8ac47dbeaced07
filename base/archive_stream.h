#pragma once

// Packs files into one archive while it is sent: neither the files nor the archive are ever whole in memory. Pure, but
// slow for large input: callers on the io thread use run_guarded.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det {

enum class ArchiveForm : std::uint8_t {
  kTar,
  kTgz,  // compressed at the fastest level: what is in a checkpoint hardly gets smaller
  kZip,  // stored, not compressed
};

class ArchiveStream {
 public:
  explicit ArchiveStream(ArchiveForm form);
  ~ArchiveStream();
  ArchiveStream(const ArchiveStream&) = delete;
  ArchiveStream& operator=(const ArchiveStream&) = delete;

  // The next file; a path that ends in '/' is a folder. kInvalidArgument for a path that is absolute, empty or climbs
  // out with "..".
  Status begin(const std::string& path, std::uint64_t bytes);
  // Of the file that was begun: as many bytes in all as were announced. kFailedPrecondition for more.
  Status add(std::string_view bytes);
  // Nothing comes any more. kFailedPrecondition where the last file is shorter than was announced.
  Status finish();
  // What of the archive is ready; what was taken is forgotten.
  [[nodiscard]] std::string take();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace det
