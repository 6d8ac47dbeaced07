#pragma once

namespace det::main {

// Runs the control plane until SIGINT or SIGTERM. Returns the process' exit code.
int serve(int argc, char** argv);

}  // namespace det::main
