#pragma once

// --image REF=DIR: which folder stands behind an image where there is no container engine. Pure, but for a look at the
// folders.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace det::main {

// The folder behind an image, made absolute; empty for "/", the host's programs alone. kInvalidArgument, naming
// `option`, when it is not a folder.
[[nodiscard]] Result<std::string> image_folder(const std::string& folder, const std::string& option);

// Reference -> folder, of texts "REF=DIR".
[[nodiscard]] Result<std::map<std::string, std::string>> image_folders(const std::vector<std::string>& texts);

}  // namespace det::main
