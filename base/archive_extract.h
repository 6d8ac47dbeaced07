#pragma once

// Unpacks an archive into a folder. Slow: on its own thread, or where nothing else waits.

#include <string>

#include "base/result.h"

namespace det {

// Files and folders of the tar or zip at `archive` into `folder`, which is made. kInvalidArgument for what is no
// archive, and for one that holds anything else, or a path that leaves the folder.
Status extract_archive(const std::string& archive, const std::string& folder);

}  // namespace det
