#include "local/agent/sandbox_plan.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

namespace det::local {
namespace {

constexpr std::string_view kSystemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

struct Mount {
  std::string source;  // on the host: what masks are about
  std::string from;    // where bubblewrap finds it; empty: at `source`
  std::string target;
  bool read_only = false;
  bool is_file = false;
  std::int64_t memory_limit = 0;  // bytes; not 0: memory of this container's own, with nothing of `source` in it
};

// What of `path` lies below `folder`, without a leading slash; nullopt when it does not.
std::optional<std::string> below(const std::string& path, const std::string& folder) {
  const std::string prefix = folder == "/" ? folder : folder + "/";
  if (!path.starts_with(prefix) || path.size() == prefix.size()) return std::nullopt;
  return path.substr(prefix.size());
}

std::string joined(const std::string& folder, const std::string& relative) {
  return relative.empty() ? folder : folder + "/" + relative;
}

std::string normal(const std::string& path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// Mount points are made by path, so symlinks that the sandbox has too are followed beforehand.
std::string inside_path(const HostLayout& host, const std::string& path) {
  const std::string text = normal(path);
  if (text == "/var/run" || text.starts_with("/var/run/")) return "/run" + text.substr(8);
  if (text == "/var/lock" || text.starts_with("/var/lock/")) return "/run/lock" + text.substr(9);
  for (const auto& [link, target] : host.symlinks) {
    if (auto rest = below(text, link)) return joined(normal("/" + target), *rest);
  }
  return text;
}

class Planner {
 public:
  explicit Planner(const SandboxInput& input) : in_(input) {}

  Result<SandboxPlan> run() {
    auto env = resolve_env(in_.pod, in_.container, in_.node, in_.objects, base_env());
    DET_TRY(env);
    plan_.env = std::move(*env);
    DET_TRY(collect_mounts());
    place_mounts();
    write_isolation();
    write_root();
    write_mounts();
    DET_TRY(write_process());
    DET_TRY(check_words());
    return std::move(plan_);
  }

 private:
  Environment base_env() const {
    Environment env;
    const std::string& image = in_.image_folder;
    set_variable(env, "PATH", (image.empty() ? "" : image + "/bin:") + std::string(kSystemPath));
    set_variable(env, "HOME", in_.container.run_as_user == 0 ? "/root" : "/tmp");
    set_variable(env, "HOSTNAME", in_.pod.host_name);
    if (!image.empty()) set_variable(env, "VIRTUAL_ENV", image);
    if (!in_.gpus.empty()) {
      std::string uuids;
      for (const Gpu& gpu : in_.gpus) uuids += (uuids.empty() ? "" : ",") + gpu.uuid;
      // The driver counts the machine's other GPUs as well; these two name the ones that can be opened.
      set_variable(env, "CUDA_VISIBLE_DEVICES", uuids);
      set_variable(env, "NVIDIA_VISIBLE_DEVICES", uuids);
    }
    return env;
  }

  Status collect_mounts() {
    for (const VolumeMount& mount : in_.container.mounts) {
      const auto volume = in_.volumes.find(mount.volume);
      if (volume == in_.volumes.end()) return fail(ErrorCode::kInvalidArgument, "no volume " + mount.volume);
      const VolumeLocation& location = volume->second;
      Mount out{location.path,
                {},
                inside_path(in_.host, mount.mount_path),
                mount.read_only || location.read_only,
                location.is_file};
      if (mount.sub_path.empty() && users_of(mount.volume) == 1) out.memory_limit = location.memory_limit;
      if (out.target == "/" || !out.target.starts_with('/')) {
        return fail(ErrorCode::kInvalidArgument, "mountPath " + mount.mount_path + " cannot be mounted; use a folder");
      }
      if (!mount.sub_path.empty()) {
        if (Status added = add_sub_path(mount, location, out); !added) return added;
      }
      if (location.is_host) {
        out.from = stage("/", out.source.substr(1));
      } else if (out.source != location.path) {
        out.from = stage(location.path, *below(out.source, location.path));
      }
      mounts_.push_back(std::move(out));
    }
    mounts_.push_back({in_.scratch_folder + "/termination-log",
                       {},
                       inside_path(in_.host, in_.container.termination_message_path),
                       false,
                       true});
    std::ranges::sort(mounts_, {}, &Mount::target);
    return {};
  }

  // How often a volume is mounted in the pod.
  std::ptrdiff_t users_of(const std::string& volume) const {
    std::ptrdiff_t count = 0;
    for (const auto* list : {&in_.pod.init_containers, &in_.pod.containers}) {
      for (const ContainerView& container : *list) {
        count += std::ranges::count(container.mounts, volume, &VolumeMount::volume);
      }
    }
    return count;
  }

  std::string stage(const std::string& root, const std::string& relative) {
    const std::string name = "staged-" + std::to_string(plan_.staged.size());
    plan_.staged.push_back({root, relative, name});
    return in_.scratch_folder + "/mnt/" + name;
  }

  Status add_sub_path(const VolumeMount& mount, const VolumeLocation& location, Mount& out) {
    const std::string text = mount.expand_sub_path ? expand_variables(mount.sub_path, plan_.env) : mount.sub_path;
    const std::string relative = normal(text);
    if (relative.starts_with('/') || relative == ".." || relative.starts_with("../")) {
      return fail(ErrorCode::kInvalidArgument, "subPath " + text + " leaves its volume");
    }
    if (relative == ".") return {};
    out.source = joined(location.path, relative);
    out.is_file = std::ranges::find(location.files, relative) != location.files.end();
    plan_.entries.push_back({location.path, relative, out.is_file});
    return {};
  }

  // Every mount point must exist: inside the volume it lies in, or in an overlay of the host folder it lies in.
  // Anywhere else the sandbox's own root is writable and bubblewrap makes it.
  void place_mounts() {
    for (std::size_t i = 0; i < mounts_.size(); ++i) {
      if (const Mount* parent = enclosing(mounts_[i].target, i)) {
        plan_.entries.push_back({parent->source, *below(mounts_[i].target, parent->target), mounts_[i].is_file});
      } else {
        place_in_overlay(mounts_[i].target, mounts_[i].is_file);
      }
    }
    working_dir_ = in_.container.working_dir.empty() ? "/" : inside_path(in_.host, in_.container.working_dir);
    const bool is_mount = std::ranges::any_of(mounts_, [&](const Mount& m) { return m.target == working_dir_; });
    if (!is_mount && enclosing(working_dir_, mounts_.size()) == nullptr) place_in_overlay(working_dir_, false);
  }

  const Mount* enclosing(const std::string& target, std::size_t end) const {
    for (std::size_t i = end; i-- > 0;) {
      if (below(target, mounts_[i].target)) return &mounts_[i];
    }
    return nullptr;
  }

  void place_in_overlay(const std::string& target, bool is_file) {
    for (const auto* shown : {&in_.host.folders, &in_.host.parts}) {
      for (const std::string& folder : *shown) {
        const auto relative = below(target, folder);
        if (!relative) continue;
        auto overlay = std::ranges::find(plan_.overlays, folder, &Overlay::lower);
        if (overlay == plan_.overlays.end()) {
          std::string name = folder.substr(1);
          std::ranges::replace(name, '/', '-');
          overlay = plan_.overlays.insert(overlay, Overlay{folder, std::move(name), {}, {}});
        }
        (is_file ? overlay->files : overlay->directories).push_back(*relative);
      }
    }
  }

  void add(std::initializer_list<std::string> words) {
    plan_.arguments.insert(plan_.arguments.end(), words.begin(), words.end());
  }

  void write_isolation() {
    add({"--die-with-parent", "--as-pid-1", "--new-session", "--unshare-user", "--unshare-pid", "--unshare-ipc"});
    add({"--unshare-uts", "--hostname", in_.pod.host_name, "--cap-drop", "ALL"});
    add({"--uid", std::to_string(in_.container.run_as_user), "--gid", std::to_string(in_.container.run_as_group)});
  }

  void write_root() {
    add({"--tmpfs", "/"});
    for (const auto* shown : {&in_.host.folders, &in_.host.parts}) {
      for (const std::string& folder : *shown) {
        const auto overlay = std::ranges::find(plan_.overlays, folder, &Overlay::lower);
        if (overlay == plan_.overlays.end()) {
          add({"--ro-bind", folder, folder});
        } else {
          add({"--bind", in_.scratch_folder + "/mnt/" + overlay->name + "/merged", folder});
        }
        write_masks(folder, folder);
      }
    }
    for (const auto& [link, target] : in_.host.symlinks) add({"--symlink", target, link});
    add({"--ro-bind", "/sys", "/sys", "--proc", "/proc"});
    // Without this, uid 0 of the sandbox could write the host's sysctls: they are checked by user id, not capability.
    add({"--ro-bind", "/proc/sys", "/proc/sys", "--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger"});
    for (const Mask& mask : in_.host.kernel_masks) write_mask(mask, mask.path);
    add({"--dev", "/dev", "--perms", "1777", "--tmpfs", "/dev/shm", "--tmpfs", "/run", "--dir", "/home"});
    write_gpus();
    add({"--bind", in_.scratch_folder + "/tmp", "/tmp", "--bind", in_.scratch_folder + "/var-tmp", "/var/tmp"});
    add({"--symlink", "/run", "/var/run", "--symlink", "/run/lock", "/var/lock"});
    add({"--bind", in_.scratch_folder + "/home", "/root"});
    if (in_.image_folder.empty()) return;
    add({"--ro-bind", in_.image_folder, in_.image_folder});
    write_masks(in_.image_folder, in_.image_folder);
  }

  // The driver's libraries are the host's, in /usr like all others.
  void write_gpus() {
    if (in_.gpus.empty()) return;
    for (const Gpu& gpu : in_.gpus) add({"--dev-bind", gpu.device, gpu.device});
    for (const char* shared : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset"}) {
      add({"--dev-bind-try", shared, shared});
    }
  }

  void write_mounts() {
    for (const Mount& mount : mounts_) {
      if (mount.memory_limit > 0) {
        // Only a file system of its own has a size: nobody else can have it, nor another start of this container.
        add({"--perms", "1777", "--size", std::to_string(mount.memory_limit), "--tmpfs", mount.target});
        continue;
      }
      add({mount.read_only ? "--ro-bind" : "--bind", mount.from.empty() ? mount.source : mount.from, mount.target});
      if (!mount.is_file) write_masks(mount.source, mount.target);
    }
  }

  // Hides what must not be seen of `source`, now visible at `target`.
  void write_masks(const std::string& source, const std::string& target) {
    for (const Mask& mask : in_.host.masks) {
      const auto relative = below(mask.path, source);
      if (!relative) continue;
      write_mask(mask, joined(target == "/" ? "" : target, *relative));
    }
  }

  void write_mask(const Mask& mask, const std::string& place) {
    if (mask.is_directory) {
      add({"--tmpfs", place});
    } else {
      add({"--ro-bind", "/dev/null", place});
    }
  }

  Status write_process() {
    if (working_dir_ != "/") add({"--dir", working_dir_});
    add({"--chdir", working_dir_, "--clearenv"});
    for (const auto& [name, value] : plan_.env) add({"--setenv", name, value});
    WordBudget budget;
    for (const auto* list : {&in_.container.command, &in_.container.args}) {
      for (const std::string& word : *list) {
        plan_.command.push_back(expand_variables(word, plan_.env));
        DET_TRY(budget.add("a word of the command", plan_.command.back().size()));
      }
    }
    return {};
  }

  // bubblewrap reads its options with a zero byte behind each: one inside a word would begin an option of the pod's
  // own.
  Status check_words() const {
    for (const auto* words : {&plan_.arguments, &plan_.command}) {
      for (const std::string& word : *words) {
        if (word.find('\0') == std::string::npos) continue;
        return fail(ErrorCode::kInvalidArgument,
                    "a zero byte stands in the environment, the command or a path of container " + in_.container.name);
      }
    }
    return {};
  }

  const SandboxInput& in_;
  SandboxPlan plan_;
  std::vector<Mount> mounts_;
  std::string working_dir_;
};

}  // namespace

Result<SandboxPlan> plan_sandbox(const SandboxInput& input) {
  return Planner(input).run();
}

Status check_host_path(const std::string& path, const HostLayout& host) {
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::kPermissionDenied, "hostPath " + path + " " + why);
  };
  for (const char* special : {"/proc", "/sys", "/dev"}) {
    if (path == special || below(path, special)) {
      return refused("is a kernel file system, which sandboxes have of their own");
    }
  }
  if (path == "/") return refused("would show the whole host; name the folder that is needed");
  for (const Mask& mask : host.masks) {
    const bool is_open =
        std::ranges::any_of(mask.open, [&](const std::string& open) { return path == open || below(path, open); });
    if (mask.refuse_inside && !is_open && (path == mask.path || below(path, mask.path))) {
      return refused("is kept from all pods by this node agent");
    }
  }
  return {};
}

}  // namespace det::local
