#include "base/remove_tree.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/encoding.h"

namespace det {

namespace fs = std::filesystem;

namespace {

// Folders that are open at a time, each inside the one before. A program can make folders a million levels deep: those
// below so many are moved up before they are emptied.
constexpr std::size_t kMostOpen = 16;
// Some file systems skip entries of a folder that changes while it is read.
constexpr int kMostScans = 8;

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

struct OpenFolder {
  std::unique_ptr<DIR, CloseFolder> stream;
  bool has_more = false;  // folders were moved into it, perhaps behind the place where it is being read

  [[nodiscard]] int fd() const { return ::dirfd(stream.get()); }
};

// Everything is named by an open folder and a name in it: no part of a path can become a link meanwhile.
class TreeRemoval {
 public:
  TreeRemoval() { open_.reserve(kMostOpen); }

  std::error_code run(const std::string& path) {
    struct stat info{};
    if (::fstatat(AT_FDCWD, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOTDIR) note(errno);
    } else if (S_ISDIR(info.st_mode)) {
      remove_folder(AT_FDCWD, path.c_str());
    } else {
      remove_file(AT_FDCWD, path.c_str());
    }
    return first_;
  }

 private:
  void note(int number) {
    if (number == ENOENT) return;  // it went meanwhile
    ++failures_;
    if (!first_) first_ = std::error_code(number, std::generic_category());
  }

  void remove_file(int parent, const char* name) {
    if (::unlinkat(parent, name, 0) != 0) note(errno);
  }

  void remove_folder(int parent, const char* name) {
    if (::unlinkat(parent, name, AT_REMOVEDIR) == 0) return;
    make_writable(parent, name);
    if (open_.size() == kMostOpen) {
      lift(parent, name);
      return;
    }
    const int fd = ::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* stream = fd < 0 ? nullptr : ::fdopendir(fd);
    if (stream == nullptr) {
      note(errno);
      if (fd >= 0) ::close(fd);
      return;
    }
    open_.push_back({.stream = std::unique_ptr<DIR, CloseFolder>(stream)});
    empty_and_remove(parent, name);
    open_.pop_back();
  }

  // The innermost open folder, which is `name` in `parent`.
  void empty_and_remove(int parent, const char* name) {
    OpenFolder& folder = open_.back();
    for (int scans = 1;; ++scans) {
      const std::uint64_t failures = failures_;
      folder.has_more = false;
      remove_entries(folder);
      if (::unlinkat(parent, name, AT_REMOVEDIR) == 0) return;
      const int number = errno;
      const bool has_skipped = failures == failures_ && scans < kMostScans;
      const bool has_entries = number == ENOTEMPTY || number == EEXIST;
      if (!has_entries || !(folder.has_more || has_skipped)) {
        note(number);
        return;
      }
      ::rewinddir(folder.stream.get());
    }
  }

  void remove_entries(const OpenFolder& folder) {
    for (;;) {
      errno = 0;  // the end of a folder and a failure look alike
      const dirent* entry = ::readdir(folder.stream.get());
      if (entry == nullptr) break;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (is_folder(folder.fd(), *entry)) {
        remove_folder(folder.fd(), entry->d_name);
      } else {
        remove_file(folder.fd(), entry->d_name);
      }
    }
    if (errno != 0) note(errno);
  }

  static bool is_folder(int parent, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
    struct stat info{};
    return ::fstatat(parent, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
  }

  // What it contains can only be removed, and itself be moved, by who may write to it.
  static void make_writable(int parent, const char* name) {
    struct stat info{};
    if (::fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode)) return;
    if ((info.st_mode & S_IRWXU) == S_IRWXU) return;
    // Where this fails, so does what is tried next.
    static_cast<void>(::fchmodat(parent, name, (info.st_mode & 07777U) | S_IRWXU, AT_SYMLINK_NOFOLLOW));
  }

  // Into the topmost folder that takes it: one of them may be on another file system or full. It must come higher, or
  // this would not end.
  void lift(int parent, const char* name) {
    const std::string fresh = prefix_ + std::to_string(++lifted_);
    int number = 0;
    for (std::size_t level = 0; level + 1 < open_.size(); ++level) {
      if (::renameat(parent, name, open_[level].fd(), fresh.c_str()) == 0) {
        open_[level].has_more = true;
        return;
      }
      if (number == 0) number = errno;
    }
    note(number);
  }

  std::vector<OpenFolder> open_;  // from the top down
  // A program that expects to be removed cannot have taken these names.
  std::string prefix_ = "removed-" + random_token(8) + "-";
  std::uint64_t lifted_ = 0;
  std::uint64_t failures_ = 0;
  std::error_code first_;
};

}  // namespace

std::error_code remove_tree(const fs::path& path) {
  // With a slash at its end a link would be followed.
  return TreeRemoval().run(path.has_filename() ? path.string() : path.parent_path().string());
}

Status remove_trees(const std::vector<std::string>& paths) {
  std::string stuck;
  for (const std::string& path : paths) {
    if (const auto error = remove_tree(path)) stuck += (stuck.empty() ? "" : "; ") + path + ": " + error.message();
  }
  if (stuck.empty()) return {};
  return fail(ErrorCode::kInternal, stuck);
}

}  // namespace det
