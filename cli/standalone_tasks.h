#pragma once

// What notebooks, shells, commands and TensorBoards have in common: finding them, and the commands list, config, logs,
// kill and set priority. Belongs to the io thread.

#include <string>
#include <vector>

#include "cli/login.h"
#include "cli/program.h"
#include "cli/task_kind.h"
#include "cli/text.h"

namespace det::cli {

// The whole ids of what `ids` begin. A whole one is taken as it is, without asking the server. kNotFound for one that
// begins none, kInvalidArgument for one that begins several.
Task<Result<std::vector<std::string>>> whole_ids(MasterClient client, const TaskKind& kind,
                                                 std::vector<std::string> ids);

struct FoundTask {
  std::string id;
  Json task;
  Json config;
};
// The task that `id` is, or begins.
Task<Result<FoundTask>> find_task(MasterClient client, const TaskKind& kind, std::string id);
// The same; kFailedPrecondition when it has ended.
Task<Result<FoundTask>> find_running_task(MasterClient client, const TaskKind& kind, std::string id);

// `task` as --json shows it: the state without its prefix, the workspace with its name.
Task<Result<Json>> with_names(MasterClient client, Json tasks);
[[nodiscard]] Table task_table(const TaskKind& kind, const Json& tasks);

// Adds them all; list becomes what the group does by itself.
void add_common_task_commands(Program& program, CLI::App* group, const TaskKind& kind);

}  // namespace det::cli
