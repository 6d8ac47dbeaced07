#include "local/agent/volumes.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/async.h"
#include "local/agent/shim.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;

using Locations = std::map<std::string, VolumeLocation>;

Task<Result<std::vector<VolumeFile>>> object_source(const VolumeSource& source, PodView pod, int mode, PodApi& api) {
  const bool secret = source.kind == VolumeSource::Kind::kSecret;
  const auto content = secret ? co_await api.secret(pod.ns, source.name) : co_await api.config_map(pod.ns, source.name);
  if (content) co_return object_files(source, *content, mode);
  if (content.error().code == ErrorCode::kNotFound && source.optional) co_return std::vector<VolumeFile>();
  co_return std::unexpected(content.error());
}

Task<Result<std::vector<VolumeFile>>> source_files(const VolumeSource& source, PodView pod, const NodeFacts& node,
                                                   int mode, PodApi& api) {
  switch (source.kind) {
    case VolumeSource::Kind::kConfigMap:
    case VolumeSource::Kind::kSecret:
      co_return co_await object_source(source, pod, mode, api);
    case VolumeSource::Kind::kDownwardApi:
      co_return downward_files(source, pod, node, mode);
    case VolumeSource::Kind::kServiceAccountToken:
      break;
  }
  auto token =
      co_await api.account_token(pod_id(pod), pod.service_account, source.token_audience, source.token_seconds);
  DET_CO_TRY(token);
  std::vector<VolumeFile> files;
  files.push_back({source.token_path, std::move(*token), 0600});
  co_return files;
}

Status make_folder(const std::string& path, mode_t mode) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error || ::chmod(path.c_str(), mode) != 0) return fail(ErrorCode::kInternal, "make " + path + " failed");
  return {};
}

Status check_type(const std::string& path, const std::string& type) {
  struct stat info{};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  const auto wrong = [&](const char* what) {
    return fail(ErrorCode::kFailedPrecondition, "hostPath " + path + " is not " + what + " (type " + type + ")");
  };
  if (!exists)
    return fail(ErrorCode::kFailedPrecondition, "hostPath " + path +
                                                    " does not exist; use type "
                                                    "DirectoryOrCreate to have it made");
  if (type.starts_with("Directory") && !S_ISDIR(info.st_mode)) return wrong("a folder");
  if (type.starts_with("File") && !S_ISREG(info.st_mode)) return wrong("a file");
  if (type == "Socket" && !S_ISSOCK(info.st_mode)) return wrong("a socket");
  if (type == "CharDevice" && !S_ISCHR(info.st_mode)) return wrong("a character device");
  if (type == "BlockDevice" && !S_ISBLK(info.st_mode)) return wrong("a block device");
  return {};
}

Result<VolumeLocation> host_location(const VolumeView& volume, const HostLayout& host) {
  std::error_code error;
  const fs::path wanted = fs::weakly_canonical(volume.host_path, error);
  if (error) return fail(ErrorCode::kFailedPrecondition, "hostPath " + volume.host_path + ": " + error.message());
  DET_TRY(check_host_path(wanted.string(), host));
  if (volume.host_path_type == "DirectoryOrCreate") fs::create_directories(wanted, error);
  if (volume.host_path_type == "FileOrCreate" && !fs::exists(wanted, error)) std::ofstream(wanted, std::ios::app);
  DET_TRY(check_type(wanted.string(), volume.host_path_type));
  VolumeLocation location{wanted.string(), volume.read_only, !fs::is_directory(wanted, error)};
  location.is_host = true;
  return location;
}

// The host's own is full of other pods' memory and other people's.
bool is_shared_memory(const VolumeView& volume) {
  std::error_code error;
  return volume.kind == VolumeView::Kind::kHostPath &&
         fs::weakly_canonical(volume.host_path, error).lexically_normal() == "/dev/shm";
}

Result<VolumeLocation> make_volume(const VolumeView& volume, const std::vector<VolumeFile>& files,
                                   const PodFolders& folders, const HostLayout& host) {
  const std::string place = folders.volume(volume.name);
  constexpr mode_t kForEveryUserInside = 0777;
  Status made;
  switch (is_shared_memory(volume) ? VolumeView::Kind::kMemoryDir : volume.kind) {
    case VolumeView::Kind::kHostPath:
    case VolumeView::Kind::kClaim:
      return host_location(volume, host);
    case VolumeView::Kind::kEmptyDir:
      made = make_folder(place, kForEveryUserInside);
      DET_TRY(made);
      return VolumeLocation{place};
    case VolumeView::Kind::kMemoryDir:
      made = make_folder(folders.memory, 0700);
      if (made) made = make_folder(folders.memory + "/" + volume.name, kForEveryUserInside);
      DET_TRY(made);
      return VolumeLocation{.path = folders.memory + "/" + volume.name, .memory_limit = volume.size_limit};
    case VolumeView::Kind::kFiles:
      break;
  }
  made = write_volume(place, files);
  DET_TRY(made);
  return VolumeLocation{place, true};
}

// A subPath is mounted as what it is; what is not there yet becomes a folder.
void note_files(const PodView& pod, Locations& locations) {
  for (const auto* list : {&pod.init_containers, &pod.containers}) {
    for (const ContainerView& container : *list) {
      for (const VolumeMount& mount : container.mounts) {
        const auto location = locations.find(mount.volume);
        if (mount.sub_path.empty() || location == locations.end()) continue;
        const std::string relative = fs::path(mount.sub_path).lexically_normal().string();
        std::error_code ignored;
        if (fs::is_regular_file(fs::symlink_status(fs::path(location->second.path) / relative, ignored))) {
          location->second.files.push_back(relative);
        }
      }
    }
  }
}

Result<Locations> make_volumes(const PodView& pod, const std::map<std::string, std::vector<VolumeFile>>& files,
                               const PodFolders& folders, const HostLayout& host) {
  DET_TRY(make_folder(folders.root + "/volumes", 0700));
  Locations locations;
  for (const VolumeView& volume : pod.volumes) {
    const auto own = files.find(volume.name);
    auto made = make_volume(volume, own == files.end() ? std::vector<VolumeFile>() : own->second, folders, host);
    if (!made) return std::unexpected(with_context(made.error(), "volume " + volume.name));
    locations.emplace(volume.name, std::move(*made));
  }
  note_files(pod, locations);
  return locations;
}

}  // namespace

Task<Result<Locations>> prepare_volumes(PodView pod, PodFolders folders, const NodeFacts& node, const HostLayout& host,
                                        PodApi& api, asio::thread_pool& pool) {
  std::map<std::string, std::vector<VolumeFile>> files;
  for (VolumeView& volume : pod.volumes) {
    if (volume.kind == VolumeView::Kind::kClaim) {
      auto folder = co_await api.claimed_folder(pod.ns, volume.claim);
      if (!folder) co_return std::unexpected(with_context(folder.error(), "volume " + volume.name));
      volume.host_path = std::move(folder->path);
      volume.host_path_type = std::move(folder->type);
    }
    std::error_code ignored;
    if (fs::is_directory(folders.volume(volume.name), ignored)) continue;
    for (const VolumeSource& source : volume.sources) {
      auto part = co_await source_files(source, pod, node, volume.default_mode, api);
      if (!part) co_return std::unexpected(with_context(part.error(), "volume " + volume.name));
      auto& all = files[volume.name];
      all.insert(all.end(), part->begin(), part->end());
    }
  }
  auto work = [&] { return make_volumes(pod, files, folders, host); };
  co_return co_await run_on(pool, work);
}

Status prepare_scratch(const std::string& folder) {
  constexpr mode_t kSticky = 01777;
  for (const char* name : {"/tmp", "/var-tmp"}) {
    if (Status made = make_folder(folder + name, kSticky); !made) return made;
  }
  for (const char* name : {"/home", "/mnt"}) {
    if (Status made = make_folder(folder + name, 0755); !made) return made;
  }
  return write_file_atomically(folder + "/termination-log", "", 0666);
}

namespace {

// Walks `relative` below an open folder, making what is missing. A symlink on the way could lead out of the volume.
Status make_entry(int root, const VolumeEntry& entry) {
  const auto failed = [&](int number) {
    return fail(ErrorCode::kFailedPrecondition,
                "path " + entry.relative + " inside the volume cannot be mounted: " + std::strerror(number));
  };
  int at = ::fcntl(root, F_DUPFD_CLOEXEC, 0);
  const fs::path relative(entry.relative);
  for (auto part = relative.begin(); part != relative.end(); ++part) {
    const bool is_file = entry.is_file && std::next(part) == relative.end();
    if (!is_file) ::mkdirat(at, part->c_str(), 0755);
    const int flags = is_file ? O_RDONLY | O_CREAT : O_PATH | O_DIRECTORY;
    const int next = ::openat(at, part->c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0644);
    const int number = errno;
    ::close(at);
    if (next < 0) return failed(number);
    at = next;
  }
  ::close(at);
  return {};
}

}  // namespace

Status make_entries(const std::vector<VolumeEntry>& entries) {
  for (const VolumeEntry& entry : entries) {
    // The root of one volume may lie inside another one.
    open_how how{};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS;
    const int root = static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, entry.root.c_str(), &how, sizeof how));
    if (root < 0) return fail(ErrorCode::kFailedPrecondition, "open " + entry.root + ": " + std::strerror(errno));
    const Status made = make_entry(root, entry);
    ::close(root);
    if (!made) return made;
  }
  return {};
}

}  // namespace det::local
