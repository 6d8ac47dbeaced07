#pragma once

// The command line of `det-operator local`: everything on one machine, in one data folder.

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/log.h"
#include "main/operator/serve_options.h"

namespace det::main {

struct LocalOptions {
  std::string data_folder;  // absolute
  std::string listen_host = "127.0.0.1";
  std::uint16_t listen_port = 8080;
  std::uint16_t kubernetes_port = 0;  // of the embedded Kubernetes API; 0: a free one, the same from then on
  int slots = 1;
  bool uses_gpus = true;
  std::string python;  // folder of the Python environment that trials run in; empty: the machine's programs
  std::map<std::string, std::string> images;  // other images -> folder
  bool blank_passwords = false;               // leave them as they were in old versions
  std::vector<std::string> allowed_hosts;  // names that requests may ask for, besides those of the loopback interface
  std::string ui_folder;                   // of the web page; empty: the one beside the program, if there is one
  std::string webui_folder;                // of Determined's own pages; empty: they are not served
  bool only_ends_pods = false;             // end what a killed one left running, then exit
  LogLevel log_level = LogLevel::kInfo;
  model::MasterConfig master;
  std::vector<std::string> warnings;  // about master.yaml and the Python of trials

  [[nodiscard]] std::string path(const std::string& name) const { return data_folder + "/" + name; }
};

// The options, or the exit code when there is nothing to run (--help: 0; a wrong option: 2, said on stderr).
[[nodiscard]] std::variant<LocalOptions, int> parse_local_options(int argc, char** argv);

}  // namespace det::main
