#pragma once

// The files of model code as the tree that pages show. Pure.

#include <vector>

#include "base/tgz.h"
#include "wire/forms.h"

namespace det::api {

// List of v1FileNode: folders and files by path, each folder with what is in it. A folder that the archive does not
// name is there, too, when something is in it. Below kDeepestFolder what is left of a path is one name.
inline constexpr int kDeepestFolder = 100;
[[nodiscard]] wire::Json model_tree(const std::vector<TarEntry>& entries);

}  // namespace det::api
