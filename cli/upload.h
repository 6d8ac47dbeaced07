#pragma once

// What commands say while they read files and send them, and about the answer. Belongs to the io thread.

#include <string>
#include <vector>

#include "cli/context_reader.h"
#include "cli/master_client.h"

namespace det::cli {

// The content of `folder` (empty: none) and the includes; says how much that is, on stderr when stdout is for programs.
// kInvalidArgument as read_context.
[[nodiscard]] Result<Context> read_files_aloud(World& world, const std::string& folder,
                                               const std::vector<std::string>& includes, bool out_is_for_programs);

// Posts `body`; who waits for megabytes on a terminal sees how far they are.
Task<Result<Json>> upload_aloud(World& world, MasterClient client, std::string path, Json body);

// What a configuration asks for in vain, from the answer to its submission.
void print_config_warnings(World& world, const Json& answer);
// That the cluster has fewer slots than it asks for.
void print_launch_warnings(World& world, const Json& answer);

}  // namespace det::cli
