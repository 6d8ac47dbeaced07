#include <array>
#include <filesystem>

#include "local/sandbox_plan.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;

// /var, /srv, /home and what else a host may have hold data, not programs: they are not shown.
constexpr std::array<const char*, 9> kShownFolders{"usr",   "bin",    "sbin", "lib", "lib32",
                                                   "lib64", "libx32", "etc",  "opt"};

constexpr std::array<const char*, 16> kSecretPlaces{
    "/etc/shadow",     "/etc/shadow-",          "/etc/gshadow",     "/etc/gshadow-", "/etc/sudoers",
    "/etc/sudoers.d",  "/etc/security/opasswd", "/etc/krb5.keytab", "/etc/ssh",      "/etc/ssl/private",
    "/etc/kubernetes", "/etc/rancher",          "/etc/postgresql",  "/etc/etcd",     "/etc/cni",
    "/etc/docker"};

void add_mask(HostLayout& layout, const std::string& path, bool refuse_inside) {
  std::error_code ignored;
  const fs::path real = fs::canonical(path, ignored);
  if (ignored) return;
  layout.masks.push_back({real.string(), fs::is_directory(real, ignored), refuse_inside});
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
  for (const char* place : kSecretPlaces) add_mask(layout, place, false);
  for (const char* place : {"/root", "/home"}) add_mask(layout, place, false);
  for (const Mask& mask : more_masks) add_mask(layout, mask.path, mask.refuse_inside);
  return layout;
}

}  // namespace det::local
