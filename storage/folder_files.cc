#include "storage/folder_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/guarded_work.h"
#include "base/inner_path.h"

namespace det::storage {

namespace {

constexpr int kDeepestFolder = 64;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::unexpected<Error> failed(const std::string& path) {
  const int why = errno;
  const ErrorCode code = why == ENOENT || why == ENOTDIR ? ErrorCode::kNotFound
                         : why == EACCES || why == EPERM ? ErrorCode::kPermissionDenied
                                                         : ErrorCode::kUnavailable;
  return fail(code, path + ": " + (why == ELOOP ? "is a symbolic link" : std::strerror(why)));
}

Result<Descriptor> open_checkpoint(const std::string& base, const std::string& uuid) {
  const Descriptor storage(::open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!storage.is_open()) return failed(base);
  Descriptor folder(::openat(storage.get(), uuid.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.is_open()) return failed(base + "/" + uuid);
  return folder;
}

// Of a file that is written anew, even to the same length.
std::string version_of(const struct stat& status) {
  return std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) + "-" +
         std::to_string(status.st_size);
}

Status list_folder(Descriptor at, const std::string& prefix, int depth, std::vector<StoredFile>& found) {
  if (depth > kDeepestFolder) return fail(ErrorCode::kResourceExhausted, prefix + " is too deep a folder");
  const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(at.release()));
  if (!folder) return failed(prefix);
  const int fd = ::dirfd(folder.get());
  for (;;) {
    errno = 0;  // the end of a folder and a failure look alike
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string path = prefix + std::string(name);
    struct stat status{};
    if (::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;  // it went meanwhile
      return failed(path);
    }
    if (found.size() >= kMostFiles) {
      return fail(ErrorCode::kResourceExhausted, "it has more than " + std::to_string(kMostFiles) + " files");
    }
    if (S_ISREG(status.st_mode)) {
      found.push_back(
          {.path = path, .bytes = static_cast<std::uint64_t>(status.st_size), .version = version_of(status)});
    } else if (S_ISDIR(status.st_mode)) {
      found.push_back({.path = path + "/"});
      Descriptor below(::openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!below.is_open()) return failed(path);
      DET_TRY(list_folder(std::move(below), path + "/", depth + 1, found));
    }
  }
  if (errno != 0) return failed(prefix);  // of readdir
  return {};
}

Result<Descriptor> open_file(Descriptor at, const std::string& path) {
  if (!is_inner_path(path)) return fail(ErrorCode::kInvalidArgument, "path \"" + path + "\" leaves the checkpoint");
  std::string_view left = path;
  while (true) {
    const std::size_t slash = left.find('/');
    const std::string part(left.substr(0, slash));
    const bool is_last = slash == std::string_view::npos;
    // Without O_NONBLOCK a pipe would hold the thread until somebody writes into it.
    const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (is_last ? 0 : O_DIRECTORY);
    Descriptor next(::openat(at.get(), part.c_str(), flags));
    if (!next.is_open()) return failed(path);
    at = std::move(next);
    if (is_last) break;
    left.remove_prefix(slash + 1);
  }
  struct stat status{};
  if (::fstat(at.get(), &status) != 0) return failed(path);
  if (!S_ISREG(status.st_mode)) return fail(ErrorCode::kFailedPrecondition, path + " is no file");
  return at;
}

Status check_version(const Descriptor& opened, const StoredFile& file) {
  struct stat status{};
  if (::fstat(opened.get(), &status) != 0) return failed(file.path);
  if (file.version.empty() || version_of(status) == file.version) return {};
  return fail(ErrorCode::kFailedPrecondition, file.path + " was written anew since it was listed");
}

Result<std::string> read_piece(const Descriptor& file, const std::string& path, std::uint64_t offset,
                               std::size_t length) {
  std::string bytes(length, '\0');
  std::size_t got = 0;
  while (got < length) {
    const ssize_t n = ::pread(file.get(), bytes.data() + got, length - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(path);
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace

Task<Result<std::vector<StoredFile>>> FolderFiles::list() {
  auto work = [base = base_, uuid = uuid_]() -> Result<std::vector<StoredFile>> {
    auto folder = open_checkpoint(base, uuid);
    DET_TRY(folder);
    std::vector<StoredFile> found;
    DET_TRY(list_folder(std::move(*folder), "", 0, found));
    std::ranges::sort(found, {}, &StoredFile::path);
    return found;
  };
  co_return co_await run_guarded(workers_, std::move(work));
}

Task<Result<std::string>> FolderFiles::read(StoredFile file, std::uint64_t offset, std::size_t length) {
  auto work = [base = base_, uuid = uuid_, file = std::move(file), offset, length]() -> Result<std::string> {
    auto folder = open_checkpoint(base, uuid);
    DET_TRY(folder);
    const auto opened = open_file(std::move(*folder), file.path);
    DET_TRY(opened);
    auto piece = read_piece(*opened, file.path, offset, length);
    DET_TRY(piece);
    // Asked afterwards, so that what was written while it was read shows, too.
    DET_TRY(check_version(*opened, file));
    return piece;
  };
  co_return co_await run_guarded(workers_, std::move(work));
}

}  // namespace det::storage
