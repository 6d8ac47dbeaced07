#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>

#include <sys/stat.h>

#include "local/agent/sandbox_plan.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;

// /var, /srv, /home and what else a host may have hold data, not programs: they are not shown.
constexpr std::array<const char*, 8> kShownFolders{"usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "opt"};

// What programs read of /etc; everything else there is settings and secrets of services. A '*' ends a name.
constexpr std::array kPartsOfEtc{"alternatives",
                                 "bash.bashrc",
                                 "bindresvport.blacklist",
                                 "ca-certificates",
                                 "ca-certificates.conf",
                                 "crypto-policies",
                                 "debian_version",
                                 "default/locale",
                                 "ethers",
                                 "fonts",
                                 "gai.conf",
                                 "glvnd",
                                 "group",
                                 "host.conf",
                                 "hosts",
                                 "inputrc",
                                 "java*",
                                 "ld.so.cache",
                                 "ld.so.conf",
                                 "ld.so.conf.d",
                                 "libibverbs.d",
                                 "libnl-3",
                                 "locale.alias",
                                 "locale.conf",
                                 "localtime",
                                 "lsb-release",
                                 "magic",
                                 "magic.mime",
                                 "mime.types",
                                 "networks",
                                 "nsswitch.conf",
                                 "OpenCL",
                                 "openmpi",
                                 "os-release",
                                 "passwd",
                                 "perl",
                                 "pki/ca-trust/extracted",
                                 "pki/tls/cert.pem",
                                 "pki/tls/certs",
                                 "pki/tls/openssl.cnf",
                                 "profile",
                                 "protocols",
                                 "python*",
                                 "R",
                                 "redhat-release",
                                 "resolv.conf",
                                 "rpc",
                                 "services",
                                 "shells",
                                 "ssl/certs",
                                 "ssl/openssl.cnf",
                                 "terminfo",
                                 "timezone",
                                 "ucx",
                                 "vulkan"};

// Not even as a hostPath.
constexpr std::array<const char*, 16> kSecretPlaces{
    "/etc/shadow",     "/etc/shadow-",          "/etc/gshadow",     "/etc/gshadow-", "/etc/sudoers",
    "/etc/sudoers.d",  "/etc/security/opasswd", "/etc/krb5.keytab", "/etc/ssh",      "/etc/ssl/private",
    "/etc/kubernetes", "/etc/rancher",          "/etc/postgresql",  "/etc/etcd",     "/etc/cni",
    "/etc/docker"};

// What container runtimes hide as well: the machine's memory, its keys, its firmware.
constexpr std::array kHiddenInKernel{"/proc/acpi",           "/proc/kcore",        "/proc/keys",
                                     "/proc/latency_stats",  "/proc/sched_debug",  "/proc/scsi",
                                     "/proc/timer_list",     "/sys/firmware",      "/sys/kernel/debug",
                                     "/sys/kernel/security", "/sys/kernel/tracing"};

void add_mask(HostLayout& layout, const Mask& wanted) {
  std::error_code ignored;
  const fs::path real = fs::canonical(wanted.path, ignored);
  if (ignored) return;
  Mask mask{real.string(), fs::is_directory(real, ignored), wanted.refuse_inside};
  for (const std::string& open : wanted.open) mask.open.push_back(fs::weakly_canonical(open, ignored).string());
  layout.masks.push_back(std::move(mask));
}

// True for what every user of the machine may read, and for what has gone. A symlink counts as what it leads to.
bool is_for_everybody(const fs::path& path, bool follow) {
  struct stat info{};
  if ((follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) != 0) return !follow && errno == ENOENT;
  if (S_ISLNK(info.st_mode)) return true;
  const mode_t wanted = S_ISDIR(info.st_mode) ? S_IROTH | S_IXOTH : S_IROTH;
  return (info.st_mode & wanted) == wanted;
}

// What of a folder not everybody may read; nothing where it changed under the walk, of which the rest is not known.
std::optional<std::vector<Mask>> masks_within(const fs::path& path) {
  std::error_code error;
  std::vector<Mask> masks;
  if (!fs::is_directory(fs::symlink_status(path, error))) return masks;
  const auto quiet = fs::directory_options::skip_permission_denied;
  auto entry = fs::recursive_directory_iterator(path, quiet, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (is_for_everybody(entry->path(), false)) continue;
    std::error_code ignored;
    const bool is_directory = entry->is_directory(ignored);
    masks.push_back({entry->path().string(), is_directory, false});
    if (is_directory) entry.disable_recursion_pending();
  }
  if (error) return std::nullopt;
  return masks;
}

// A sandbox of root's agent is the owner of root's files: what only root may read is hidden one by one. A part that
// cannot be walked to its end is not shown.
void add_part(HostLayout& layout, const fs::path& path) {
  constexpr int kWalks = 3;
  if (!is_for_everybody(path, true)) return;
  for (int walk = 0; walk < kWalks; ++walk) {
    const auto masks = masks_within(path);
    if (!masks) continue;
    layout.parts.push_back(path.string());
    layout.masks.insert(layout.masks.end(), masks->begin(), masks->end());
    return;
  }
}

void add_parts(HostLayout& layout) {
  const fs::path etc("/etc");
  std::error_code error;
  for (const std::string name : kPartsOfEtc) {
    if (!name.ends_with('*')) {
      add_part(layout, etc / name);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(etc, error)) {
      if (entry.path().filename().string().starts_with(name.substr(0, name.size() - 1))) add_part(layout, entry.path());
    }
  }
}

}  // namespace

HostLayout read_host_layout(const std::vector<Mask>& more_masks) {
  HostLayout layout;
  std::error_code ignored;
  for (const char* name : kShownFolders) {
    const fs::path path = fs::path("/") / name;
    if (fs::is_symlink(path, ignored)) {
      layout.symlinks[path.string()] = fs::read_symlink(path, ignored).string();
    } else if (fs::is_directory(path, ignored)) {
      layout.folders.push_back(path.string());
    }
  }
  add_parts(layout);
  for (const char* place : kSecretPlaces) add_mask(layout, {place, true, true});
  for (const char* place : kHiddenInKernel) {
    if (fs::exists(place, ignored)) layout.kernel_masks.push_back({place, fs::is_directory(place, ignored), false});
  }
  for (const char* place : {"/root", "/home"}) add_mask(layout, {place, true, false});
  for (const Mask& mask : more_masks) add_mask(layout, mask);
  return layout;
}

}  // namespace det::local
