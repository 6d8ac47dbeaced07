#include "http/spool_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace det::http {

namespace {
std::unexpected<Error> failed(ErrorCode code, const std::string& what) {
  return fail(code, what + ": " + std::strerror(errno));
}
}  // namespace

Result<std::unique_ptr<SpoolFile>> SpoolFile::create(const std::filesystem::path& directory) {
  // A file that had a name would outlive a crash; not every file system knows O_TMPFILE, so unlink is the fallback.
  int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    std::string name = (directory / "det-upload-XXXXXX").string();
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) ::unlink(name.c_str());
  }
  if (fd < 0) return failed(ErrorCode::kUnavailable, "no temporary file for the upload in " + directory.string());
  return std::unique_ptr<SpoolFile>(new SpoolFile(fd));
}

SpoolFile::~SpoolFile() {
  if (mapped_ != nullptr) ::munmap(const_cast<char*>(mapped_), size_);
  ::close(fd_);
}

Status SpoolFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return failed(ErrorCode::kResourceExhausted, "the upload could not be written to disk");
    }
    size_ += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status SpoolFile::finish() {
  if (size_ == 0) return {};
  void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd_, 0);
  if (mapped == MAP_FAILED) return failed(ErrorCode::kResourceExhausted, "the upload could not be mapped");
  mapped_ = static_cast<const char*>(mapped);
  return {};
}

}  // namespace det::http
