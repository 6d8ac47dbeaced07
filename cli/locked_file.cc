#include "cli/locked_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace det::cli {
namespace {

std::unexpected<Error> cannot(const std::string& what, const std::filesystem::path& file) {
  return fail(ErrorCode::kInternal, "cannot " + what + " " + file.string() + ": " + std::strerror(errno));
}

// An flock, as the Python command line takes it.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file) : fd_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (fd_ >= 0) ::flock(fd_, LOCK_EX);
  }
  ~FileLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  [[nodiscard]] bool is_held() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::filesystem::path beside(const std::filesystem::path& file, const char* ending) {
  return file.string() + ending;
}

}  // namespace

Status replace_locked(const std::filesystem::path& file, const std::function<Result<std::string>()>& content) {
  std::error_code failed;
  const bool is_new = std::filesystem::create_directories(file.parent_path(), failed);
  if (failed) {
    return fail(ErrorCode::kInternal,
                "cannot make the folder " + file.parent_path().string() + ": " + failed.message());
  }
  if (is_new) ::chmod(file.parent_path().c_str(), 0700);
  const FileLock lock(beside(file, ".lock"));
  if (!lock.is_held()) return cannot("lock", beside(file, ".lock"));
  const auto text = content();
  DET_TRY(text);
  const auto temporary = beside(file, ".temp");
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return cannot("write", temporary);
  const bool is_written = ::write(fd, text->data(), text->size()) == static_cast<ssize_t>(text->size());
  ::fchmod(fd, 0600);
  ::close(fd);
  if (!is_written || std::rename(temporary.c_str(), file.c_str()) != 0) return cannot("write", file);
  return {};
}

}  // namespace det::cli
