#include "local/agent/cgroup.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace det::local {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kCpuPeriodMicros = 100'000;

bool put(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file.flush());
}

bool is_writable(const std::string& folder) {
  return ::access(folder.c_str(), W_OK) == 0;
}

}  // namespace

Cgroups Cgroups::detect(std::string root, std::string prefix) {
  Cgroups out;
  out.prefix_ = std::move(prefix);
  if (fs::exists(root + "/cgroup.controllers")) {
    out.is_v2_ = true;
    if (is_writable(root) && put(root + "/cgroup.subtree_control", "+memory +cpu +pids")) {
      out.memory_ = out.cpu_ = out.pids_ = root;
    }
    return out;
  }
  if (is_writable(root + "/memory")) out.memory_ = root + "/memory";
  if (is_writable(root + "/cpu")) out.cpu_ = root + "/cpu";
  if (is_writable(root + "/pids")) out.pids_ = root + "/pids";
  return out;
}

Result<std::vector<std::string>> Cgroups::create(const std::string& id, const Quantities& limits,
                                                 std::int64_t processes) const {
  std::vector<std::string> procs;
  const auto add = [&](const std::string& parent, const std::vector<std::pair<std::string, std::string>>& values) {
    const std::string folder = group(parent, id);
    std::error_code error;
    fs::create_directory(folder, error);
    for (const auto& [file, text] : values) {
      if (error || !put(folder + "/" + file, text)) return false;
    }
    if (std::ranges::find(procs, folder + "/cgroup.procs") == procs.end()) procs.push_back(folder + "/cgroup.procs");
    return true;
  };
  bool good = true;
  if (limits.memory && !memory_.empty()) {
    good = add(memory_, {{is_v2_ ? "memory.max" : "memory.limit_in_bytes", std::to_string(*limits.memory)}});
  }
  if (good && limits.milli_cpu && !cpu_.empty()) {
    const std::string quota = std::to_string(std::max<std::int64_t>(*limits.milli_cpu * kCpuPeriodMicros / 1000, 1000));
    const std::string period = std::to_string(kCpuPeriodMicros);
    good = is_v2_ ? add(cpu_, {{"cpu.max", quota + " " + period}})
                  : add(cpu_, {{"cpu.cfs_period_us", period}, {"cpu.cfs_quota_us", quota}});
  }
  if (good && !pids_.empty()) good = add(pids_, {{"pids.max", std::to_string(processes)}});
  if (good) return procs;
  remove(id);
  return fail(ErrorCode::kInternal, "the kernel refused the container's limits in " + group(memory_, id));
}

bool Cgroups::was_out_of_memory(const std::string& id) const {
  if (memory_.empty()) return false;
  std::ifstream file(group(memory_, id) + (is_v2_ ? "/memory.events" : "/memory.oom_control"));
  std::string name;
  std::int64_t count = 0;
  while (file >> name >> count) {
    if (name == "oom_kill") return count > 0;
  }
  return false;
}

void Cgroups::remove(const std::string& id) const {
  for (const std::string& parent : {memory_, cpu_, pids_}) {
    if (!parent.empty()) ::rmdir(group(parent, id).c_str());
  }
}

}  // namespace det::local
