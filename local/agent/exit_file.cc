#include "local/agent/exit_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace det::local {
namespace {

constexpr std::size_t kSize = 4096;
constexpr std::size_t kLongestError = 512;  // six bytes of JSON each at most: fits

Status failed(const std::string& path) {
  return fail(ErrorCode::kInternal, "write " + path + ": " + std::strerror(errno));
}

// Blanks behind the text change nothing: it is JSON.
bool put(int fd, std::string text) {
  text.resize(kSize, ' ');
  for (std::size_t done = 0; done < text.size();) {
    const auto n = ::pwrite(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

ExitFile::~ExitFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status ExitFile::reserve() {
  const std::string draft = path_ + ".new";
  fd_ = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd_ < 0 || !put(fd_, {})) return failed(draft);
  return {};
}

Status ExitFile::write(int exit_code, WallTime finished_at, const std::string& error) {
  nlohmann::json exit{{"exit_code", exit_code}, {"finished_at", format_rfc3339_micros(finished_at)}};
  if (!error.empty()) exit["error"] = error.substr(0, kLongestError);
  const std::string draft = path_ + ".new";
  if (!put(fd_, exit.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) return failed(draft);
  if (std::rename(draft.c_str(), path_.c_str()) != 0) return failed(path_);
  return {};
}

}  // namespace det::local
