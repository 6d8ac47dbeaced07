#include "cli/ssh_session.h"

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

namespace det::cli {
namespace {

namespace fs = std::filesystem;

bool is_plain(std::string_view word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_[]";
  return !word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos;
}

// A word of ProxyCommand: ssh replaces %x in it and gives the rest to a shell.
std::string proxy_word(const std::string& word) {
  std::string escaped;
  for (const char c : word) {
    if (c == '%') escaped += '%';
    escaped += c;
  }
  if (is_plain(word) && word.find_first_of("[]") == std::string::npos) return escaped;
  std::string quoted = "'";
  for (const char c : escaped) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string proxy_command(const SshLogin& login) {
  std::string text = proxy_word(login.program) + " -m " + proxy_word(login.master_url);
  if (!login.det_user.empty()) text += " -u " + proxy_word(login.det_user);
  text += " tunnel %h";
  if (!login.cert_file.empty()) text += " --cert-file " + proxy_word(login.cert_file);
  if (!login.cert_name.empty()) text += " --cert-name " + proxy_word(login.cert_name);
  return text;
}

Status write_secret(const fs::path& file, const std::string& content) {
  const auto failed = [&file](const std::string& what) {
    return fail(ErrorCode::kInternal, "cannot " + what + " " + file.string() + ": " + std::strerror(errno));
  };
  const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (out < 0) return failed("write");
  Status done;
  // A file of before may have another mode.
  if (::fchmod(out, 0600) != 0) done = failed("protect");
  std::string_view left = content;
  while (done && !left.empty()) {
    const ssize_t written = ::write(out, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      done = failed("write");
    } else {
      left.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  ::close(out);
  return done;
}

}  // namespace

std::vector<std::string> ssh_command(const SshLogin& login) {
  std::vector<std::string> argv = {
      "ssh", "-o", "ProxyCommand=" + proxy_command(login), "-o", "StrictHostKeyChecking=no",
      // Each shell has a host key of its own; who it is, the master vouches for.
      "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-tt", "-o", "IdentitiesOnly=yes", "-i",
      login.key_file.string(), login.remote_user + "@" + login.shell_id};
  argv.insert(argv.end(), login.options.begin(), login.options.end());
  return argv;
}

std::string command_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& word : argv) {
    if (!line.empty()) line += ' ';
    if (is_plain(word) && word.find_first_of("[]") == std::string::npos) {
      line += word;
      continue;
    }
    line += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\' || c == '$' || c == '`') line += '\\';
      line += c;
    }
    line += '"';
  }
  return line;
}

Result<KeyFile> KeyFile::make(const fs::path& temporary, const std::string& key) {
  std::string folder = (temporary / "det-shell.XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) {
    return fail(ErrorCode::kInternal,
                "cannot make a folder for the key in " + temporary.string() + ": " + std::strerror(errno));
  }
  KeyFile file{fs::path(folder)};
  DET_TRY(write_secret(file.path(), key));
  return file;
}

KeyFile::KeyFile(KeyFile&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

KeyFile::~KeyFile() {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

Status keep_key(const fs::path& file, const std::string& key) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (!failed) fs::permissions(file.parent_path(), fs::perms::owner_all, failed);
  if (failed) {
    return fail(ErrorCode::kInternal, "cannot make " + file.parent_path().string() + ": " + failed.message());
  }
  return write_secret(file, key);
}

}  // namespace det::cli
