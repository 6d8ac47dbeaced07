#pragma once

// The options of `det deploy local cluster-up` as arguments of det-operator, there and back. Pure, but for the current
// folder of relative paths.

#include <filesystem>
#include <string>
#include <vector>

#include "cli/local_cluster.h"

namespace det::cli {

// What starts it with these options.
[[nodiscard]] std::vector<std::string> command_line(const std::filesystem::path& program,
                                                    const std::filesystem::path& folder, const UpOptions& options);
// Of what was asked for, in the words of cluster-up ("--slots 2"), what a program with the command line `running` was
// not started with. What nobody asked for is not compared.
[[nodiscard]] std::vector<std::string> not_applied(const std::vector<std::string>& running, const UpOptions& options);

}  // namespace det::cli
