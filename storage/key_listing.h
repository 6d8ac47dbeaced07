#pragma once

// Takes the pages of a listing of keys, as object storages send them, and keeps what is below a checkpoint. A storage
// may be a user's own and hostile: pages, files and time are bounded. Belongs to the io thread.

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"
#include "storage/stored_files.h"

namespace det::storage {

// What one answer of a storage lists.
struct ListedPage {
  std::vector<StoredFile> files;  // paths are whole keys
  std::string continue_with;      // how the storage names the next page; empty: this is the last one
};

class KeyListing {
 public:
  // A page may name nothing; a listing of kMostFiles has 200 pages.
  static constexpr std::size_t kMostPages = 2'000;
  static constexpr std::chrono::minutes kLongest{5};

  // `folder` ends in '/'. `clock` outlives this.
  KeyListing(Clock& clock, std::string folder)
      : clock_(clock), folder_(std::move(folder)), deadline_(clock.steady_now() + kLongest) {}

  // `page`: with whole keys as paths. kFailedPrecondition for a key that leaves the checkpoint, kResourceExhausted for
  // too many of anything, kDeadlineExceeded.
  [[nodiscard]] Status add(std::vector<StoredFile> page);
  // By path. kNotFound where no page named anything.
  [[nodiscard]] Result<std::vector<StoredFile>> finish();

 private:
  Clock& clock_;
  std::string folder_;
  SteadyTime deadline_;
  std::size_t pages_ = 0;
  std::vector<StoredFile> files_;
};

// "prefix/uuid/"; `prefix` with or without slashes around it.
[[nodiscard]] std::string folder_of(std::string_view prefix, std::string_view uuid);

}  // namespace det::storage
