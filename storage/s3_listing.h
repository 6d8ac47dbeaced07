#pragma once

// What S3 answers in XML. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/stored_files.h"

namespace det::storage {

struct S3Listing {
  std::vector<StoredFile> files;             // paths are whole keys
  std::optional<std::string> continue_with;  // the token of the next page
};

// An answer of ListObjectsV2 with encoding-type=url. kUnavailable: it is none.
[[nodiscard]] Result<S3Listing> read_s3_listing(const std::string& xml);
// The region that an answer to a request for another one names; empty: none.
[[nodiscard]] std::string s3_error_region(const std::string& xml);

}  // namespace det::storage
