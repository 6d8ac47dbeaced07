#pragma once

// What S3 answers in XML. Pure.

#include <string>

#include "base/result.h"
#include "storage/key_listing.h"

namespace det::storage {

// An answer of ListObjectsV2 with encoding-type=url. kUnavailable: it is none.
[[nodiscard]] Result<ListedPage> read_s3_page(const std::string& xml);
// The region that an answer to a request for another one names; empty: none.
[[nodiscard]] std::string s3_error_region(const std::string& xml);

}  // namespace det::storage
