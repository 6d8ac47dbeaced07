#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "local/agent/shim.h"

namespace det::local {

using nlohmann::json;

json to_json(const ShimSpec& spec) {
  json overlays = json::array();
  for (const Overlay& overlay : spec.overlays) {
    overlays.push_back({{"lower", overlay.lower},
                        {"name", overlay.name},
                        {"directories", overlay.directories},
                        {"files", overlay.files}});
  }
  json staged = json::array();
  for (const StagedMount& mount : spec.staged) {
    staged.push_back({{"root", mount.root}, {"relative", mount.relative}, {"name", mount.name}});
  }
  json out{{"folder", spec.folder},
           {"bwrap", spec.bwrap},
           {"overlays", std::move(overlays)},
           {"staged", std::move(staged)},
           {"arguments", spec.arguments},
           {"command", spec.command},
           {"cgroup_procs", spec.cgroup_procs},
           {"log_limit", spec.log_limit}};
  if (spec.process_limit) out["process_limit"] = *spec.process_limit;
  if (spec.data_limit) out["data_limit"] = *spec.data_limit;
  return out;
}

Result<ShimSpec> shim_spec_from_json(const json& in) {
  try {
    ShimSpec spec;
    in.at("folder").get_to(spec.folder);
    in.at("bwrap").get_to(spec.bwrap);
    in.at("arguments").get_to(spec.arguments);
    in.at("command").get_to(spec.command);
    in.at("cgroup_procs").get_to(spec.cgroup_procs);
    for (const json& overlay : in.at("overlays")) {
      spec.overlays.push_back({overlay.at("lower").get<std::string>(), overlay.at("name").get<std::string>(),
                               overlay.at("directories").get<std::vector<std::string>>(),
                               overlay.at("files").get<std::vector<std::string>>()});
    }
    for (const json& mount : in.at("staged")) {
      spec.staged.push_back({mount.at("root").get<std::string>(), mount.at("relative").get<std::string>(),
                             mount.at("name").get<std::string>()});
    }
    in.at("log_limit").get_to(spec.log_limit);
    if (in.contains("process_limit")) spec.process_limit = in.at("process_limit").get<std::int64_t>();
    if (in.contains("data_limit")) spec.data_limit = in.at("data_limit").get<std::int64_t>();
    return spec;
  } catch (const json::exception& e) {
    return fail(ErrorCode::kInvalidArgument, std::string("shim spec: ") + e.what());
  }
}

std::optional<std::uint64_t> process_start_time(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // The second field is the program's name in parentheses and may hold anything: count from behind it.
  const auto close = text.rfind(')');
  if (close == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(close + 1));
  std::string state;
  rest >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  std::string skipped;
  constexpr int kFieldsBetweenStateAndStart = 18;
  for (int i = 0; i < kFieldsBetweenStateAndStart; ++i) rest >> skipped;
  std::uint64_t start = 0;
  if (!(rest >> start)) return std::nullopt;
  return start;
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

Status write_file_atomically(const std::string& path, const std::string& text, unsigned mode) {
  const std::string draft = path + ".new";
  const auto failed = [&] { return fail(ErrorCode::kInternal, "write " + path + " failed: check the disk"); };
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (fd < 0) return failed();
  std::size_t done = 0;
  while (done < text.size()) {
    const auto n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  ::fchmod(fd, mode);
  ::close(fd);
  if (done != text.size() || ::rename(draft.c_str(), path.c_str()) != 0) return failed();
  return {};
}

}  // namespace det::local
