#pragma once

// The kubeconfig that leads to an embedded API. Pure but for the file.

#include <string>

#include "base/result.h"

namespace det::local {

// One cluster at `url` whose certificate is `ca_pem` (empty: plain HTTP), one user with the token, one context.
[[nodiscard]] std::string kubeconfig_text(const std::string& url, const std::string& ca_pem, const std::string& token);

// Writes it to `path` for the owner's eyes only, in place of what is there, at once. kFailedPrecondition says why not.
[[nodiscard]] Status write_kubeconfig(const std::string& path, const std::string& text);

}  // namespace det::local
