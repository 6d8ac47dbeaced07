#include "cli/refused_options.h"

namespace det::cli {
namespace {

struct RefusedOption {
  std::string_view command;
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view kUp = "det deploy local cluster-up";
constexpr std::string_view kCreate = "det experiment create";
constexpr std::string_view kNoName = "a local cluster has no name: its --data-dir tells it from others";
constexpr std::string_view kNoDocker = "there are no containers of Docker that this could be about; leave it out";
constexpr std::string_view kTests =
    "there are no test runs of one batch, which need searcher.max_length; --dry-run has the master check the "
    "configuration";
constexpr std::string_view kPublish =
    "ports are published while the task runs: give it environment.proxy_ports, then 'det tunnel TASK:PORT --listener "
    "PORT'";

constexpr RefusedOption kRefused[] = {
    {kUp, "--cluster-name", kNoName},
    {"det deploy local cluster-down", "--cluster-name", kNoName},
    {"det deploy local logs", "--cluster-name", kNoName},
    {kUp, "--agents", "a local cluster is one node; --slots says how much it offers"},
    {kUp, "--auto-work-dir", kNoDocker},
    {kUp, "--no-autorestart", kNoDocker},
    {kUp, "--db-password", "the database listens on a socket of its own only, and needs none; leave it out"},
    {kUp, "--delete-db", "'det deploy local cluster-down --delete-db' does it, before"},
    {kUp, "--det-version", "it is the version of the det-operator that is installed; leave it out"},
    {kUp, "--enterprise-edition", "there is one edition, with everything in it; leave it out"},
    {kUp, "--initial-user-password", "passwords are made, and kept in the file 'passwords' of the data folder"},
    {kUp, "--storage-host-path",
     "checkpoints are in the data folder, or where checkpoint_storage of --master-config-path says"},
    {kCreate, "--local", kTests},
    {kCreate, "--test-mode", kTests},
    {kCreate, "--test", kTests},
    {kCreate, "-t", kTests},
    {kCreate, "--publish", kPublish},
    {kCreate, "-p", kPublish},
};

// "--publish=80", "-p80".
bool names(std::string_view argument, std::string_view option) {
  if (!argument.starts_with(option)) return false;
  const bool is_short = !option.starts_with("--");
  return argument.size() == option.size() || is_short || argument[option.size()] == '=';
}

}  // namespace

std::optional<std::string> why_refused(std::string_view command, const std::vector<std::string>& unknown) {
  for (const std::string& argument : unknown) {
    for (const RefusedOption& one : kRefused) {
      if (one.command == command && names(argument, one.name))
        return std::string(one.name) + ": " + std::string(one.why);
    }
  }
  return std::nullopt;
}

}  // namespace det::cli
