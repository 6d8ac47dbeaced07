#pragma once

// What is below a checkpoint, of the keys that an object storage lists. A storage may be a user's own and hostile: keys
// and their number are bounded. Pure, but slow for many keys: paged_listing.h has them taken on a pool.

#include <string>
#include <string_view>
#include <vector>

#include "storage/stored_files.h"

namespace det::storage {

// What one answer of a storage lists.
struct ListedPage {
  std::vector<StoredFile> files;  // paths are whole keys
  std::string continue_with;      // how the storage names the next page; empty: this is the last one
};

class KeyListing {
 public:
  // `folder` ends in '/'.
  explicit KeyListing(std::string folder) : folder_(std::move(folder)) {}

  // `page`: with whole keys as paths. kFailedPrecondition for a key that leaves the checkpoint, kResourceExhausted for
  // more than kMostFiles.
  [[nodiscard]] Status add(std::vector<StoredFile> page);
  // By path. kNotFound where no page named anything.
  [[nodiscard]] Result<std::vector<StoredFile>> finish();

 private:
  std::string folder_;
  std::vector<StoredFile> files_;
};

// A prefix of S3 or Google Cloud Storage as the harness writes below it: without slashes around it, and each empty or
// "." part left out ("." alone stays, as os.path.normpath has it).
[[nodiscard]] std::string normal_prefix(std::string_view prefix);
// "prefix/uuid/"; `prefix` with or without slashes around it.
[[nodiscard]] std::string folder_of(std::string_view prefix, std::string_view uuid);

}  // namespace det::storage
