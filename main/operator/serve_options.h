#pragma once

// The command line of `det-operator` without a subcommand: the control plane.

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "model/cluster/master_config.h"
#include "store/users/user_store.h"

namespace det::main {

struct ServeOptions {
  std::string kubeconfig;  // empty: in-cluster
  std::string context;
  std::string database_url;
  std::string listen_host = "0.0.0.0";
  std::uint16_t listen_port = 8080;  // 0: a free one
  std::string task_url;              // empty: from the listen address
  std::string ns;                    // empty: all
  std::string controller_class;
  std::string identity;  // empty: the host's name
  std::string lease_namespace;
  std::string default_owner = "determined";
  std::string certificate_file;
  std::string key_file;
  std::string ui_folder;                   // of the web page; empty: the one beside the program, if there is one
  std::string webui_folder;                // of Determined's own pages; empty: they are not served
  std::vector<std::string> allowed_hosts;  // names this server answers to, besides addresses and the loopback's
  bool checks_host = false;                // otherwise it answers to every name
  // Done once the database can be used, before the first login is let in.
  std::function<Task<Status>(store::UserStore&, store::SessionStore&)> prepare_users;
  LogLevel log_level = LogLevel::kInfo;
  model::MasterConfig master;
  std::vector<std::string> warnings;  // about master.yaml
};

// The options, or the exit code when there is nothing to run (--help, --version: 0; a wrong option: 2, said on stderr).
[[nodiscard]] std::variant<ServeOptions, int> parse_serve_options(int argc, char** argv);

}  // namespace det::main
