#include "base/remove_tree.h"

#include <vector>

namespace det {

namespace fs = std::filesystem;

namespace {

// Of `top` and every folder below it.
void make_writable(const fs::path& top) {
  std::vector<fs::path> left = {top};
  while (!left.empty()) {
    const fs::path folder = std::move(left.back());
    left.pop_back();
    std::error_code ignored;
    if (fs::symlink_status(folder, ignored).type() != fs::file_type::directory) continue;
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.symlink_status(ignored).type() == fs::file_type::directory) left.push_back(entry.path());
    }
  }
}

}  // namespace

std::error_code remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error != std::errc::permission_denied) return error;
  make_writable(path);
  fs::remove_all(path, error);
  return error;
}

}  // namespace det
