#include "main/operator/serve_options.h"

#include <chrono>
#include <iostream>

#include <CLI/CLI.hpp>

#include "main/operator/listen_address.h"
#include "main/operator/log_level_option.h"
#include "main/operator/master_file.h"
#include "main/version.h"
#include "pg/connection_info.h"
#include "pods/names.h"

namespace det::main {
namespace {

constexpr const char* kDescription =
    "det-operator: runs Determined experiments on Kubernetes.\n"
    "Without a subcommand it is the control plane: reconcilers and REST API. Apply crds/ first.\n"
    "Subcommands: local (everything on one machine), node-agent (runs the pods of one Node as sandboxed processes);\n"
    "each has a --help of its own.";

constexpr int kWrong = 2;

// A field whose name is a slip is an error here, where somebody looks; a running cluster goes on without it.
int tell_oddities(const model::MasterConfigResult& master) {
  bool has_slip = false;
  for (const model::UnusedField& field : master.unused.fields) {
    const bool is_slip = !field.meant.empty();
    has_slip = has_slip || is_slip;
    std::cout << (is_slip ? "error: " : "warning: ") << field.sentence;
    const std::string line = field.line ? "line " + std::to_string(*field.line) : "";
    const std::string value = field.value.empty() ? "" : "value " + field.value;
    if (!line.empty() || !value.empty()) {
      std::cout << " (" << line << (line.empty() || value.empty() ? "" : ", ") << value << ")";
    }
    std::cout << "\n";
  }
  if (master.unused.more > 0) std::cout << "warning: " << model::unused_sentences(master.unused).back() << "\n";
  for (const std::string& note : master.notes) std::cout << "warning: " << note << "\n";
  return has_slip ? kWrong : 0;
}

}  // namespace

std::variant<ServeOptions, int> parse_serve_options(int argc, char** argv) {
  ServeOptions options;
  options.controller_class = pods::kDefaultControllerClass;
  std::string listen = "0.0.0.0:8080";
  std::string config;
  std::string secrets;
  bool only_checks = false;
  CLI::App app{kDescription, "det-operator"};
  app.set_version_flag("--version", std::string("det-operator ") + kVersion);
  app.add_option("--kubeconfig", options.kubeconfig, "Kubeconfig file; without it, the service account of the pod")
      ->envname("KUBECONFIG");
  app.add_option("--context", options.context, "Context of the kubeconfig; without it, the current one");
  app.add_option("--database-url", options.database_url, "PostgreSQL, as a libpq URL")->envname("DET_DATABASE_URL");
  app.add_option("--listen", listen, "HOST:PORT of the REST API; port 0 takes a free one")->capture_default_str();
  app.add_option("--task-url", options.task_url,
                 "URL at which pods reach the REST API; without it, made from --listen");
  app.add_option("--namespace", options.ns, "Watch this namespace only; without it, all of them");
  app.add_option("--controller-class", options.controller_class, "Class of the objects that are ours")
      ->capture_default_str();
  app.add_option("--config", config, "Determined's master.yaml");
  app.add_option("--config-secrets", secrets,
                 "Folder of files named by keys of master.yaml, such as checkpoint_storage.secret_key: their values");
  app.add_flag("--check-config", only_checks,
               "Only read the configuration, say what is odd about it, and exit: 2 when a name is misspelled");
  app.add_option("--identity", options.identity, "Name in the leader's Lease; without it, the host's name");
  app.add_option("--lease-namespace", options.lease_namespace,
                 "Namespace of the leader's Lease; without it, --namespace or the kubeconfig's");
  app.add_option("--default-owner", options.default_owner, "User that owns experiments made by kubectl")
      ->capture_default_str();
  app.add_option("--tls-certificate", options.certificate_file, "PEM file; the REST API then speaks HTTPS");
  app.add_option("--ui-dir", options.ui_folder,
                 "Folder of the web page, as webui/ builds it; without it, the one that belongs to the program");
  app.add_option("--webui-dir", options.webui_folder,
                 "Folder of Determined's own web pages, as its image has them; they are then served under /det");
  app.add_option("--tls-key", options.key_file, "PEM file of the certificate's key");
  app.add_option(
      "--allowed-host", options.allowed_hosts,
      "Host name that clients ask for, such as that of the public URL; may be repeated. Requests for another "
      "name are refused; without this option none are");
  add_log_level_option(app, options.log_level);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto address = split_listen_address(listen, options.listen_host);
  if (!address) {
    std::cerr << "det-operator: --listen: \"" << listen << "\" is not HOST:PORT, for example 127.0.0.1:8080\n";
    return 2;
  }
  options.checks_host = !options.allowed_hosts.empty();
  options.listen_host = address->host;
  options.listen_port = address->port;
  if (options.certificate_file.empty() != options.key_file.empty()) {
    std::cerr << "det-operator: --tls-certificate and --tls-key go together\n";
    return 2;
  }
  auto master = read_master_file(config, nullptr, secrets);
  if (!master) {
    std::cerr << "det-operator: " << master.error().message << "\n";
    return 2;
  }
  if (only_checks) return tell_oddities(*master);
  options.master = std::move(master->config);
  options.warnings = master->warnings();
  if (options.database_url.empty()) {
    std::cerr << "det-operator: --database-url or DET_DATABASE_URL is needed, for example "
                 "postgresql://USER@HOST/DATABASE\n";
    return 2;
  }
  if (const auto info = pg::connection_info(options.database_url, "", std::chrono::seconds(2)); !info) {
    std::cerr << "det-operator: --database-url " << info.error().message << "\n";
    return 2;
  }
  return options;
}

}  // namespace det::main
