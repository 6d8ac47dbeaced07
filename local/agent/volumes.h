#pragma once

// Makes the volumes of a pod, below folders that only the agent's user can enter. Belongs to the io thread; what
// touches the disk runs on the pool. Everything may be repeated: what is complete stays as it is.

#include <map>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "base/result.h"
#include "base/task.h"
#include "local/agent/pod_api.h"
#include "local/agent/sandbox_plan.h"

namespace det::local {

// Where one pod's things lie.
struct PodFolders {
  std::string root;    // <state>/pods/<uid>
  std::string memory;  // below /dev/shm, for emptyDir with medium Memory

  [[nodiscard]] std::string volume(const std::string& name) const { return root + "/volumes/" + name; }
  // The attempts of a container are numbered folders in it.
  [[nodiscard]] std::string container(const std::string& name) const { return root + "/containers/" + name; }
};

struct VolumeFile {
  std::string path;  // relative
  std::string content;
  unsigned mode = 0644;
  bool operator==(const VolumeFile&) const = default;
};

// The files of one source, given its object's content. kNotFound: an item names a key that is not there. Pure.
[[nodiscard]] Result<std::vector<VolumeFile>> object_files(const VolumeSource& source, const KeyValues& content,
                                                           int default_mode);
// The files of a downwardAPI source. Pure.
[[nodiscard]] Result<std::vector<VolumeFile>> downward_files(const VolumeSource& source, const PodView& pod,
                                                             const NodeFacts& node, int default_mode);
// Writes all files to `folder`, which appears at once and complete. Does nothing when it is there.
[[nodiscard]] Status write_volume(const std::string& folder, const std::vector<VolumeFile>& files);

// The volumes of `pod` by name. kNotFound and kFailedPrecondition may pass with time (an object that does not exist
// yet, a hostPath that is not there); kPermissionDenied will not.
Task<Result<std::map<std::string, VolumeLocation>>> prepare_volumes(PodView pod, PodFolders folders,
                                                                    const NodeFacts& node, const HostLayout& host,
                                                                    PodApi& api, asio::thread_pool& pool);

// Makes an attempt's own folder and the mount points that the plan wants inside volumes; never follows a symlink.
[[nodiscard]] Status prepare_scratch(const std::string& folder);
[[nodiscard]] Status make_entries(const std::vector<VolumeEntry>& entries);

}  // namespace det::local
