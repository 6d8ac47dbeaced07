#include "main/operator/local_options.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "base/yaml.h"
#include "local/agent/gpus.h"
#include "local/postgres_process.h"
#include "local/python_check.h"
#include "main/operator/image_folders.h"
#include "main/operator/listen_address.h"
#include "main/operator/log_level_option.h"
#include "main/operator/master_file.h"

namespace det::main {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDescription =
    "Everything on this machine, with no cluster and no container engine: a small Kubernetes API, a private "
    "PostgreSQL, the\n"
    "control plane, and a node agent that runs pods as sandboxed processes. Stays in the foreground until SIGTERM or "
    "Ctrl-C;\n"
    "`det deploy local cluster-up` runs it in the background.";

// cli/local_cluster.cc looks for it in the log.
constexpr const char* kNoPackage = "trials will fail: ";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::string default_data_folder() {
  if (::geteuid() == 0) return "/var/lib/det-operator/local";
  const std::string state = variable("XDG_STATE_HOME");
  return (state.empty() ? variable("HOME") + "/.local/state" : state) + "/det-operator/local";
}

// Where scripts/train-env.sh puts one.
std::string prepared_python() {
  std::string cache = variable("DET_OPERATOR_CACHE");
  if (cache.empty()) {
    const std::string root = variable("XDG_CACHE_HOME");
    cache = (root.empty() ? variable("HOME") + "/.cache" : root) + "/det-operator";
  }
  return cache + "/venv-determined-0.38.1";
}

bool is_python_environment(const std::string& folder) {
  if (folder.empty()) return false;
  std::error_code error;
  return fs::exists(folder + "/bin/python", error) || fs::exists(folder + "/bin/python3", error);
}

Status choose_python(LocalOptions& options) {
  if (!options.python.empty()) {
    if (!is_python_environment(options.python)) {
      return fail(ErrorCode::kInvalidArgument,
                  "--python: " + options.python + " holds no bin/python; name the folder of a virtual environment");
    }
  } else if (const std::string active = variable("VIRTUAL_ENV"); is_python_environment(active)) {
    options.python = active;
  } else if (const std::string prepared = prepared_python(); is_python_environment(prepared)) {
    options.python = prepared;
  }
  if (!options.python.empty()) options.python = fs::absolute(options.python).lexically_normal().string();
  return {};
}

// All CPUs of the machine, shared out among its slots in whole thousandths: no further slot fits beside them.
double cpus_per_slot(int slots) {
  const auto cpus = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return std::max(1.0, static_cast<double>(cpus * 1000 / slots) / 1000);
}

// What a file given by --config may say differently. A trial of several GPUs runs in one pod; CPU slots get a pod each,
// so that distributed training can be tried on a laptop.
nlohmann::json local_master(const LocalOptions& options) {
  nlohmann::json manager = {{"type", "kubernetes"}};
  const auto gpus = options.uses_gpus ? local::find_gpus("/proc/driver/nvidia").size() : 0;
  if (gpus > 0) {
    manager.update({{"max_slots_per_pod", gpus}, {"slot_type", "cuda"}});
  } else {
    manager.update({{"max_slots_per_pod", 1},
                    {"slot_type", "cpu"},
                    {"slot_resource_requests", {{"cpu", cpus_per_slot(options.slots)}}}});
  }
  return {{"cluster_name", "local"},
          {"checkpoint_storage", {{"type", "shared_fs"}, {"host_path", options.path("checkpoints")}}},
          {"resource_manager", std::move(manager)},
          // Whoever uses this machine may mount its folders anyway.
          {"pod_policy", {{"host_paths", {"/"}}}},
          {"host_network_ports", true}};
}

}  // namespace

std::variant<LocalOptions, int> parse_local_options(int argc, char** argv) {
  LocalOptions options;
  options.data_folder = default_data_folder();
  options.slots = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string listen = "127.0.0.1:8080";
  std::string config;
  std::vector<std::string> images;
  bool no_gpu = false;
  CLI::App app{kDescription, "det-operator local"};
  app.add_option("--data-dir", options.data_folder, "Folder for everything that is kept")->capture_default_str();
  app.add_option("--listen", listen, "HOST:PORT of the REST API; port 0 takes a free one")->capture_default_str();
  app.add_option("--kubernetes-port", options.kubernetes_port,
                 "Port of the Kubernetes API on 127.0.0.1; 0: a free one, kept for the next start")
      ->capture_default_str();
  app.add_option("--slots", options.slots, "Slots offered where there is no GPU; one trial of one slot runs on each")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--no-gpu", no_gpu, "Offer CPU slots even if there are GPUs");
  app.add_option("--python", options.python,
                 "Folder of the Python environment that trials run in; without it, $VIRTUAL_ENV, then the one that "
                 "scripts/train-env.sh made, then the machine's own Python");
  app.add_option("--image", images, "REF=DIR: the Python environment behind an image; all others mean --python");
  app.add_flag(
      "--blank-passwords", options.blank_passwords,
      "Leave the passwords of the first users blank, as old guides expect: everybody on this machine, and every "
      "task, can then log in as admin. On a loopback address only");
  app.add_option("--allowed-host", options.allowed_hosts,
                 "Host name that clients may ask for, such as that of a proxy in front; may be repeated");
  app.add_option("--ui-dir", options.ui_folder,
                 "Folder of the web page, as webui/ builds it; without it, the one that belongs to the program");
  app.add_option("--webui-dir", options.webui_folder,
                 "Folder of Determined's own web pages, as its image has them; they are then served under /det");
  app.add_flag("--end-pods", options.only_ends_pods,
               "Only end the pods that a killed det-operator local left running, and exit");
  app.add_option("--config", config, "Determined's master.yaml; what it leaves out is as for one machine");
  add_log_level_option(app, options.log_level);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.uses_gpus = !no_gpu;
  const auto refuse = [](const std::string& message) {
    std::cerr << "det-operator local: " << message << "\n";
    return 2;
  };
  const auto address = split_listen_address(listen, options.listen_host);
  if (!address) return refuse("--listen: \"" + listen + "\" is not HOST:PORT, for example 127.0.0.1:8080");
  if (options.blank_passwords && !is_loopback(address->host)) {
    return refuse("--blank-passwords lets everybody log in who can reach " + listen +
                  "; leave one of the two out (without it, passwords are made and kept in --data-dir)");
  }
  options.listen_host = address->host;
  options.listen_port = address->port;
  if (options.data_folder.empty()) return refuse("--data-dir: the name of a folder is needed; this one is empty");
  options.data_folder = fs::absolute(options.data_folder).lexically_normal().string();
  while (options.data_folder.size() > 1 && options.data_folder.ends_with('/')) options.data_folder.pop_back();
  if (options.data_folder.contains(',')) {
    return refuse("--data-dir: " + options.data_folder +
                  " has a comma, which separates hosts in PostgreSQL's addresses: choose another folder");
  }
  const std::size_t socket = local::socket_of(options.path("postgres")).size();
  if (socket > local::kLongestSocket) {
    return refuse("--data-dir: " + options.data_folder + " is too long by " +
                  std::to_string(socket - local::kLongestSocket) +
                  " characters for PostgreSQL's socket in it: choose a folder with a shorter path");
  }
  const bool is_named = !options.python.empty();
  if (Status chosen = choose_python(options); !chosen) return refuse(chosen.error().message);
  auto folders = image_folders(images);
  if (!folders) return refuse(folders.error().message);
  options.images = std::move(*folders);
  auto master = read_master_file(config, local_master(options));
  if (!master) return refuse(master.error().message);
  options.master = std::move(master->config);
  options.warnings = master->warnings();
  const model::HarnessConfig& harness = options.master.harness;
  // Where the operator serves the package's wheels, pods get it from there.
  if (!options.only_ends_pods && (!harness.install || harness.wheelhouse.empty())) {
    const Status checked = local::check_harness_package(options.python, harness.version);
    if (!checked && is_named) return refuse("--python: " + checked.error().message);
    if (!checked) options.warnings.push_back(kNoPackage + checked.error().message);
  }
  if (options.blank_passwords && !options.master.initial_user_password.empty()) {
    return refuse("--blank-passwords and security.initial_user_password of --config exclude each other");
  }
  return options;
}

}  // namespace det::main
