#pragma once

// Starting a notebook, shell, command or TensorBoard, and waiting until it can be used. Belongs to the io thread.

#include <string>
#include <vector>

#include "cli/config_errors.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/task_kind.h"
#include "cli/text.h"

namespace det::cli {

struct LaunchOptions {
  std::string config_file;
  std::string workspace;
  std::vector<std::string> volumes;
  std::string folder;
  std::vector<std::string> includes;
  std::vector<std::string> overrides;
  std::string template_name;
  bool detach = false;
};

// --config-file, --workspace-name, --context, --include, --config and --detach.
void add_launch_options(CLI::App* leaf, LaunchOptions& options);
// --config, --context and --include alone.
void add_config_options(CLI::App* leaf, LaunchOptions& options);
// --volume and --template, which TensorBoards have not.
void add_volume_and_template(CLI::App* leaf, LaunchOptions& options);

// The configuration that file, options and `entrypoint` (which gives way to theirs) make. kInvalidArgument names the
// option.
[[nodiscard]] Result<Json> launch_config(const LaunchOptions& options, const std::vector<std::string>& entrypoint = {});

// The same as it was written, for the places of what a master refuses. A file that cannot be read is an empty one.
[[nodiscard]] WrittenConfig written_config(const LaunchOptions& options);

// Sends the configuration, the files and `more`; prints what the server warns of. The whole answer.
Task<Result<Json>> launch(World& world, MasterClient client, const TaskKind& kind, LaunchOptions options, Json config,
                          Json more = Json::object());
// What people read of a launch, or with --detach only the id. The id.
std::string say_launched(World& world, const TaskKind& kind, const Json& answer, bool detach);

// Until the task is ready, for at most half an hour. kFailedPrecondition when it has ended instead, with its reason.
Task<Status> wait_until_ready(World& world, MasterClient client, const TaskKind& kind, std::string id);

// Opens `url` in the browser that $BROWSER names, or in the desktop's where there is one; else nothing happens.
void open_in_browser(World& world, const std::string& url);

}  // namespace det::cli
