#pragma once

// Removes what programs of others have left.

#include <filesystem>
#include <system_error>

namespace det {

// Removes `path` and all below it, without following links, also below folders that their owner may not write to: they
// are made writable first. No error where there is nothing. Any thread; it may take long.
[[nodiscard]] std::error_code remove_tree(const std::filesystem::path& path);

}  // namespace det
