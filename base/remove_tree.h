#pragma once

// Removes what programs of others have left.

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/result.h"

namespace det {

// Removes `path` and all below it, without following links, also below folders that their owner may not write to: they
// are made writable first. However deep it is, few descriptors and little memory are held. What cannot be removed does
// not keep the rest: the first error is returned at the end. No error where there is nothing. Any thread; it may take
// long.
[[nodiscard]] std::error_code remove_tree(const std::filesystem::path& path);

// The same for each of `paths`, in their order. kInternal: names all that are still there.
[[nodiscard]] Status remove_trees(const std::vector<std::string>& paths);

}  // namespace det
