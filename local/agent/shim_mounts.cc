#include "local/agent/shim_mounts.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace det::local {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> failed(const std::string& what) {
  return fail(ErrorCode::kInternal, what + ": " + std::strerror(errno));
}

bool put(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

Status enter_namespaces(bool root) {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  if (::unshare(CLONE_NEWNS | (root ? 0 : CLONE_NEWUSER)) != 0) return failed("unshare");
  if (root) return {};
  if (!put("/proc/self/setgroups", "deny") || !put("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1") ||
      !put("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1")) {
    return failed("map the user");
  }
  return {};
}

// Mount points go into the upper layer: an ordinary user may not make them below a folder that belongs to the host.
Status make_overlay(const Overlay& overlay, bool root) {
  std::error_code error;
  for (const char* layer : {"upper", "work", "merged"}) fs::create_directories(fs::path(overlay.name) / layer, error);
  const fs::path upper = fs::path(overlay.name) / "upper";
  for (const std::string& directory : overlay.directories) fs::create_directories(upper / directory, error);
  for (const std::string& file : overlay.files) {
    fs::create_directories((upper / file).parent_path(), error);
    std::ofstream(upper / file, std::ios::app);
  }
  if (error) return fail(ErrorCode::kInternal, "prepare the overlay of " + overlay.lower + ": " + error.message());
  // Relative paths, because a comma or colon in the state folder's path would end an option.
  const std::string options = "lowerdir=" + overlay.lower + ",upperdir=" + overlay.name +
                              "/upper,workdir=" + overlay.name + "/work" + (root ? "" : ",userxattr");
  const std::string merged = overlay.name + "/merged";
  if (::mount("overlay", merged.c_str(), "overlay", 0, options.c_str()) != 0) return failed("overlay " + overlay.lower);
  return {};
}

// Bound by what was opened, not by its path: another container of the pod may put a symlink there at any time.
Status make_staged(const StagedMount& mount) {
  const int root = ::open(mount.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return failed("open " + mount.root);
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const int found = static_cast<int>(::syscall(SYS_openat2, root, mount.relative.c_str(), &how, sizeof how));
  const int number = errno;
  ::close(root);
  if (found < 0) {
    errno = number;
    return failed("path " + mount.relative + " of a volume cannot be mounted (a symlink in it is not followed)");
  }
  struct stat info{};
  Status made;
  if (::fstat(found, &info) != 0) made = failed("look at " + mount.relative);
  if (S_ISDIR(info.st_mode)) {
    if (::mkdir(mount.name.c_str(), 0700) != 0) made = failed("make " + mount.name);
  } else if (const int file = ::open(mount.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600); file >= 0) {
    ::close(file);
  } else {
    made = failed("make " + mount.name);
  }
  const std::string source = "/proc/self/fd/" + std::to_string(found);
  if (made && ::mount(source.c_str(), mount.name.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    made = failed("bind " + mount.relative);
  }
  ::close(found);
  return made;
}

}  // namespace

Status make_mounts(const ShimSpec& spec) {
  if (spec.overlays.empty() && spec.staged.empty()) return {};
  const bool root = ::geteuid() == 0;
  if (Status entered = enter_namespaces(root); !entered) return entered;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("make mounts private");
  const std::string place = spec.folder + "/mnt";
  if (::mount("tmpfs", place.c_str(), "tmpfs", 0, "mode=755") != 0) return failed("mount " + place);
  if (::chdir(place.c_str()) != 0) return failed("enter " + place);
  ::umask(022);
  for (const Overlay& overlay : spec.overlays) {
    if (Status made = make_overlay(overlay, root); !made) return made;
  }
  for (const StagedMount& mount : spec.staged) {
    if (Status made = make_staged(mount); !made) return made;
  }
  return ::chdir("/") == 0 ? Status() : failed("leave " + place);
}

}  // namespace det::local
