// The test program is its own shim: containers outlive the agent by being re-executions of its program.

#include <string_view>

#include <gmock/gmock.h>

#include "local/agent/shim.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "node-agent-shim") return det::local::shim_main();
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
