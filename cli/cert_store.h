#pragma once

// certs.json, shared with the Python command line: the certificates that somebody was told to trust, by master. Blocks
// as cli/locked_file.h.

#include <string>

#include "base/result.h"
#include "cli/world.h"

namespace det::cli {

// PEM; empty where there are none for this master. `master_url` is canonical.
[[nodiscard]] std::string trusted_certificates(const World& world, const std::string& master_url);
Status trust_certificates(const World& world, const std::string& master_url, const std::string& pem);

}  // namespace det::cli
