#pragma once

// Where a section checkpoint_storage of type shared_fs keeps its files, by the words of its two paths. Pure.

#include <string_view>

namespace det::model {

// Whether `storage_path` is `host_path` or a folder below it: relative ones begin there, ".." counts. An absolute one
// without a host_path is not held against anything. Symbolic links are not looked at.
[[nodiscard]] bool stays_below(std::string_view host_path, std::string_view storage_path);

}  // namespace det::model
