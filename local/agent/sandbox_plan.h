#pragma once

// From a container to the mounts and the bubblewrap command line that run it. Pure: host facts come in as values, so
// that plans are compared with golden ones. Any thread.
//
// The root is an empty tmpfs into which a fixed few folders of the host are bound read-only (usr, etc, opt, ...). /var,
// /run, /home, /root, /tmp are the sandbox's own. A host folder under which a mount point must be made gets a private
// overlay first, because bubblewrap cannot make one below a read-only bind.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "local/agent/container_env.h"
#include "local/agent/gpus.h"
#include "local/agent/pod_spec_view.h"

namespace det::local {

// A path that no sandbox may see.
struct Mask {
  std::string path;  // absolute, no symlinks in it
  bool is_directory = true;
  // Also refused as a hostPath (the agent's state, kubeconfigs). Otherwise a hostPath below it is the user's own wish.
  bool refuse_inside = false;
  std::vector<std::string> open = {};  // folders below that a hostPath may name all the same
  bool operator==(const Mask&) const = default;
};

// The host's folders, and what of them exists and must be hidden.
struct HostLayout {
  std::vector<std::string> folders;             // "/usr", "/opt"
  std::map<std::string, std::string> symlinks;  // "/bin" -> "usr/bin"
  std::vector<Mask> masks;
  std::vector<Mask> kernel_masks = {};  // in /proc and /sys, of the sandbox's own
  std::vector<std::string> parts = {};  // files and folders of /etc, which as a whole is not shown
  bool operator==(const HostLayout&) const = default;
};
// Looks at the disk. Files of /etc that not everybody may read become masks.
[[nodiscard]] HostLayout read_host_layout(const std::vector<Mask>& more_masks);

// Where a volume's content lies on the host.
struct VolumeLocation {
  std::string path;
  bool read_only = false;
  bool is_file = false;                 // the volume itself is one file (hostPath)
  bool is_host = false;                 // a folder of the host, in which others may be at work
  std::vector<std::string> files = {};  // which subPaths in use are files, not folders
  std::int64_t memory_limit = 0;        // bytes, of a volume in memory; 0: none
};

struct SandboxInput {
  const PodView& pod;
  const ContainerView& container;
  const NodeFacts& node;
  const HostLayout& host;
  const EnvObjects& objects;
  const std::map<std::string, VolumeLocation>& volumes;
  std::string image_folder;    // empty: the host's folders are the image
  std::string scratch_folder;  // the attempt's own: tmp/, var-tmp/, home/, mnt/ and termination-log lie in it
  std::vector<Gpu> gpus = {};  // the container's
};

// A private writable copy of one host folder. Its upper layer is made at scratch/mnt/<name>.
struct Overlay {
  std::string lower;                     // "/etc"
  std::string name;                      // "etc"
  std::vector<std::string> directories;  // made in the upper layer, relative
  std::vector<std::string> files;
  bool operator==(const Overlay&) const = default;
};

// A mount point, or a subPath, to be made inside a volume before the sandbox starts.
struct VolumeEntry {
  std::string root;      // the volume's folder
  std::string relative;  // below it
  bool is_file = false;
  bool operator==(const VolumeEntry&) const = default;
};

// A path that others than us can change while the sandbox starts: a subPath, or a hostPath. The shim opens it without
// following a symlink and binds what it has opened to scratch/mnt/<name>, where bubblewrap takes it from.
struct StagedMount {
  std::string root;      // trusted
  std::string relative;  // below it
  std::string name;
  bool operator==(const StagedMount&) const = default;
};

struct SandboxPlan {
  std::vector<Overlay> overlays;
  std::vector<StagedMount> staged = {};
  std::vector<VolumeEntry> entries;
  std::vector<std::string> arguments;  // of bubblewrap, without the command
  std::vector<std::string> command;
  Environment env;
};

// kNotFound: an object of the environment is missing. kInvalidArgument: a mount that cannot be, with the reason.
[[nodiscard]] Result<SandboxPlan> plan_sandbox(const SandboxInput& input);

// kPermissionDenied, with the reason, for a hostPath that no pod may have. `path` is absolute without symlinks.
[[nodiscard]] Status check_host_path(const std::string& path, const HostLayout& host);

}  // namespace det::local
