// det-operator: chooses the subcommand. Everything is wired in the files beside this one, and nowhere else.

#include <string_view>

#include "main/operator/allocator.h"
#include "main/operator/local_command.h"
#include "main/operator/node_agent_command.h"
#include "main/operator/serve.h"

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command != "node-agent-shim") det::main::give_free_memory_back();
  if (command == "node-agent" || command == "node-agent-shim") return run_node_agent_command(argc, argv);
  if (command == "local") return det::main::local(argc - 1, argv + 1);
  return det::main::serve(argc, argv);
}
