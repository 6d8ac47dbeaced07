#pragma once

// Where in a tar archive each byte of its files will be, known before anything of them is read: the archive can be
// begun anywhere. The bytes are those that ArchiveStream makes. Pure, but slow for many files: callers on the io thread
// use run_guarded.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace det {

// What stands before a file's content; a path that ends in '/' is a folder. kInvalidArgument for a path that is
// absolute, empty or climbs out with "..".
[[nodiscard]] Result<std::string> tar_header(const std::string& path, std::uint64_t bytes);
// What stands after it: zeros up to a whole block.
[[nodiscard]] std::string tar_padding(std::uint64_t bytes);
// What stands after the last one.
[[nodiscard]] std::string tar_end();

class TarLayout {
 public:
  struct Place {
    std::size_t member = 0;    // in the order they were added; size(): the end of the archive
    std::uint64_t offset = 0;  // within its content; 0 also for a position in its header
  };

  // The next file, of so many bytes of content. kResourceExhausted for more than any disk has.
  Status add(const std::string& path, std::uint64_t bytes);
  // Whose header, content or padding is there. `position` < total().
  [[nodiscard]] Place find(std::uint64_t position) const;
  // Where in the archive this byte of the member's content is; of offset 0 where its header begins.
  [[nodiscard]] std::uint64_t position_of(Place place) const;
  // The archive's length in bytes.
  [[nodiscard]] std::uint64_t total() const;
  [[nodiscard]] std::size_t size() const { return members_.size(); }

 private:
  struct Member {
    std::uint64_t begins = 0;
    std::uint64_t content = 0;  // where it begins
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] std::uint64_t end_of_members() const;

  std::vector<Member> members_;
};

}  // namespace det
