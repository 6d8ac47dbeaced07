#pragma once

// The certificates of a master whom nobody vouches for, to show and to keep. Belongs to the io thread.

#include <string>

#include "base/result.h"
#include "base/task.h"

namespace det::cli {

// What the master at `url` (canonical, https) sends, unverified: PEM, its own certificate first. Sends it nothing but
// the greeting. kUnavailable where there is none to be had.
Task<Result<std::string>> fetch_certificates(std::string url);

// SHA-256 of the first certificate of `pem` as openssl and Determined print it: "ab:01:...", lower case. Empty where
// there is no certificate. Pure.
[[nodiscard]] std::string fingerprint(const std::string& pem);

}  // namespace det::cli
