// det deploy local.

#include "cli/local_cluster.h"
#include "cli/program.h"

namespace det::cli {

void add_deploy_commands(Program& program) {
  CLI::App* deploy = program.add_group(program.root(), "deploy", {"d"}, "manage deployments");
  CLI::App* local = program.add_group(*deploy, "local", {}, "local help");
  local->description("run det-operator on this machine");
  const char* const where =
      "folder that holds everything (default: /var/lib/det-operator/local for root, else det-operator/local in "
      "XDG_STATE_HOME, which is ~/.local/state where it is not set)";

  CLI::App* leaf = program.add_leaf(*local, "cluster-up", {}, "start a local cluster");
  auto up = std::make_shared<UpOptions>();
  leaf->add_option("--data-dir", up->data_folder, where);
  leaf->add_option("--port,--master-port", up->port, "port to listen on, on the loopback interface (default 8080)")
      ->check(whole_number(1, 65535));
  leaf->add_option("--slots", up->slots,
                   "how many slots this machine offers where it has no GPU, 1 to 1000 (default: one for each CPU)")
      ->check(whole_number(1, 1000));
  leaf->add_flag_function(
      "--no-gpu,!--gpu", [up](std::int64_t count) { up->no_gpu = count > 0; },
      "use no GPU (--gpu: use those that there are, the default)");
  leaf->add_option("--python", up->python, "folder of the Python environment that trials run in")
      ->check(CLI::ExistingDirectory);
  leaf->add_option("--master-config-path", up->master_config, "path to master configuration (master.yaml)")
      ->check(CLI::ExistingFile);
  leaf->add_flag("--blank-passwords", up->blank_passwords,
                 "leave passwords blank, as old guides expect: everybody on this machine can then log in as admin");
  leaf->add_option("--allowed-host", up->allowed_hosts,
                   "host name that clients may ask for besides localhost; may be repeated");
  leaf->add_option("--timeout", up->timeout_seconds, "seconds to wait until it answers (default 300)")
      ->check(whole_number(1));
  program.runs(leaf, up, cluster_up);

  leaf = program.add_leaf(*local, "cluster-down", {}, "stop the local cluster");
  auto down = std::make_shared<DownOptions>();
  leaf->add_option("--data-dir", down->data_folder, where);
  leaf->add_flag("--delete-db", down->delete_data, "delete the database and all other state, except checkpoints");
  program.runs(leaf, down, cluster_down);

  leaf = program.add_leaf(*local, "logs", {}, "show the log of the local cluster");
  auto logs = std::make_shared<DaemonLogOptions>();
  leaf->add_option("--data-dir", logs->data_folder, where);
  leaf->add_flag("--follow,-f,!--no-follow", logs->follow, "go on while it runs (default; --no-follow ends at once)");
  program.runs(leaf, logs, cluster_logs);

  for (const char* name : {"master-up", "master-down", "agent-up", "agent-down"}) {
    program.add_refused(*local, name, {}, std::string("run ") + name,
                        "a cluster on this machine is one program, without containers for master and agents: 'det "
                        "deploy local cluster-up' starts it, 'cluster-down' ends it; docs/node-agent.md adds a node");
  }
  for (const char* cloud : {"aws", "gcp", "gke-experimental"}) {
    program.add_refused(
        *deploy, cloud, {}, std::string("deploy on ") + cloud,
        "this program makes no machines and no clusters: make a Kubernetes cluster with the cloud's own "
        "tools and install the Helm chart into it (docs/helm.md)");
  }
}

}  // namespace det::cli
