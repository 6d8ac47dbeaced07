#include "main/operator/local_folder.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "local/agent/shim.h"

namespace det::main {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kPrivate = 0600;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

Result<LocalFolder> LocalFolder::take(std::string path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail(ErrorCode::kFailedPrecondition, "--data-dir " + path + " cannot be made: " + error.message());
  // As root the database runs as another user, who must get through; what is private is closed one level below.
  const auto mode = ::geteuid() == 0 ? fs::perms(0711) : fs::perms::owner_all;
  fs::permissions(path, mode, error);
  const std::string file = path + "/lock";
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPrivate);
  if (lock < 0) {
    return fail(ErrorCode::kFailedPrecondition, "--data-dir " + path + " cannot be used: " + std::strerror(errno));
  }
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const std::string owner = read_file(file);
    ::close(lock);
    return fail(ErrorCode::kFailedPrecondition,
                "another det-operator local (pid " + owner + ") uses " + path +
                    "; stop it (det deploy local cluster-down) or choose another --data-dir");
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(lock, 0) != 0 || ::pwrite(lock, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    const std::string why = std::strerror(errno);
    ::close(lock);
    return fail(ErrorCode::kFailedPrecondition, "--data-dir " + path + " cannot be written: " + why);
  }
  return LocalFolder(std::move(path), lock);
}

LocalFolder::LocalFolder(LocalFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

LocalFolder::~LocalFolder() {
  if (lock_ >= 0) ::close(lock_);
}

Result<std::string> LocalFolder::kept(const std::string& name, const std::string& fresh) const {
  if (std::string old = read_file(path(name)); !old.empty()) return old;
  DET_TRY(write(name, fresh));
  return fresh;
}

Status LocalFolder::write(const std::string& name, const std::string& text) const {
  return local::write_file_atomically(path(name), text, kPrivate);
}

}  // namespace det::main
