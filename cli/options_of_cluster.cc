#include "cli/options_of_cluster.h"

#include <algorithm>
#include <iterator>

namespace det::cli {
namespace {

namespace fs = std::filesystem;

std::string listen_address(const UpOptions& options) {
  return "127.0.0.1:" + std::to_string(options.port.value_or(kDefaultPort));
}

}  // namespace

std::vector<std::string> command_line(const fs::path& program, const fs::path& folder, const UpOptions& options) {
  std::vector<std::string> argv = {program.string(), "local",    "--data-dir",
                                   folder.string(),  "--listen", listen_address(options)};
  if (options.slots) argv.insert(argv.end(), {"--slots", std::to_string(*options.slots)});
  if (options.no_gpu.value_or(false)) argv.emplace_back("--no-gpu");
  if (options.blank_passwords) argv.emplace_back("--blank-passwords");
  for (const std::string& host : options.allowed_hosts) argv.insert(argv.end(), {"--allowed-host", host});
  if (!options.python.empty()) argv.insert(argv.end(), {"--python", fs::absolute(options.python).string()});
  if (!options.master_config.empty()) {
    argv.insert(argv.end(), {"--config", fs::absolute(options.master_config).string()});
  }
  return argv;
}

std::vector<std::string> not_applied(const std::vector<std::string>& running, const UpOptions& options) {
  std::vector<std::string> missing;
  const auto has = [&running](const std::string& flag) { return std::ranges::find(running, flag) != running.end(); };
  const auto has_value = [&running](const std::string& name, const std::string& value) {
    const std::string pair[] = {name, value};
    return std::ranges::search(running, pair).begin() != running.end();
  };
  if (options.port && !has_value("--listen", listen_address(options))) {
    missing.push_back("--port " + std::to_string(*options.port));
  }
  if (options.slots && !has_value("--slots", std::to_string(*options.slots))) {
    missing.push_back("--slots " + std::to_string(*options.slots));
  }
  if (options.no_gpu && *options.no_gpu != has("--no-gpu"))
    missing.emplace_back(*options.no_gpu ? "--no-gpu" : "--gpu");
  if (options.blank_passwords && !has("--blank-passwords")) missing.emplace_back("--blank-passwords");
  for (const std::string& host : options.allowed_hosts) {
    if (!has_value("--allowed-host", host)) missing.push_back("--allowed-host " + host);
  }
  if (!options.python.empty() && !has_value("--python", fs::absolute(options.python).string())) {
    missing.push_back("--python " + options.python);
  }
  if (!options.master_config.empty() && !has_value("--config", fs::absolute(options.master_config).string())) {
    missing.push_back("--master-config-path " + options.master_config);
  }
  return missing;
}

}  // namespace det::cli
