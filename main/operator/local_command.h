#pragma once

namespace det::main {

// `det-operator local`: returns the process's exit status.
int local(int argc, char** argv);

}  // namespace det::main
