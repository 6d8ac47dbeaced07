#pragma once

// The tree of commands: each cli/commands/*.cc adds its own to it. Parsing chooses one command, which then runs as a
// coroutine. Belongs to one thread.

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/result.h"
#include "base/task.h"
#include "cli/table.h"
#include "cli/world.h"

namespace det::cli {

// A command: its exit code, or why it failed.
template <typename Options>
using Command = Task<Result<int>> (*)(Invocation in, Options options);

class Program {
 public:
  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] CLI::App& root() { return app_; }
  // A command that only holds others. Without one of them it prints its help, unless make_default() names one.
  CLI::App* add_group(CLI::App& parent, const std::string& name, const std::vector<std::string>& aliases,
                      const std::string& help);
  // `help` completes "Failed to ...", so it starts with a verb: "create experiment".
  CLI::App* add_leaf(CLI::App& parent, const std::string& name, const std::vector<std::string>& aliases,
                     const std::string& help);

  // A command of the Python command line that this one has not, with whatever stands behind it: it fails and says
  // why. It is not listed. `help` as of a leaf.
  void add_refused(CLI::App& parent, const std::string& name, const std::vector<std::string>& aliases,
                   const std::string& help, const std::string& why);

  template <typename Options>
  void runs(CLI::App* leaf, std::shared_ptr<Options> options, Command<Options> command) {
    auto start = [this, options, command, what = leaf->get_description()] {
      doing_ = what;
      chosen_ = [command, options = *options](Invocation in) { return command(std::move(in), options); };
    };
    leaf->callback(start);
  }
  // What `group` does when no command of it is named, with these options.
  template <typename Options>
  void make_default(CLI::App* group, const std::string& help, Command<Options> command, Options options = {}) {
    auto start = [this, group, command, help, options] {
      if (!group->get_subcommands().empty()) return;
      doing_ = help;
      help_for_ = nullptr;
      chosen_ = [command, options](Invocation in) { return command(std::move(in), options); };
    };
    group->callback(start);
  }

  // Parses and runs. `arguments` without the program's name. Everything a person reads is printed here, errors to
  // world.err; the result is the exit code.
  Task<int> run(World& world, std::vector<std::string> arguments);

 private:
  // `help`, which every group has for --help. It is not listed.
  void add_help(CLI::App& group);
  int parse_failed(World& world, const CLI::ParseError& error);

  CLI::App app_;
  Globals globals_;
  bool wants_version_ = false;
  std::function<Task<Result<int>>(Invocation)> chosen_;
  CLI::App* help_for_ = nullptr;
  std::string doing_;
};

// Prints `table` as --csv and friends say.
void print_table(World& world, const Table& table, bool as_csv);

// --limit, --offset, --pages.
struct PageOptions {
  std::int64_t limit = 200;
  std::int64_t offset = 0;
  std::string pages = "all";
  [[nodiscard]] bool one_page() const { return pages == "1"; }
};
void add_page_options(CLI::App* leaf, PageOptions& options);
// A check for options and arguments: a whole number, at least `min`. Its error says what was given and what is wanted.
[[nodiscard]] CLI::Validator whole_number(std::int64_t min,
                                          std::int64_t max = std::numeric_limits<std::int64_t>::max());
// A required argument that is the id of something.
void add_id(CLI::App* leaf, const std::string& name, std::int64_t& into, const std::string& help);
// An option that may be given several times, one value each.
CLI::Option* add_repeated(CLI::App* leaf, const std::string& name, std::vector<std::string>& into,
                          const std::string& help);

// Each adds its commands to the tree.
void add_experiment_commands(Program& program);
void add_experiment_edit_commands(Program& program, CLI::App* group);
void add_experiment_download_command(Program& program, CLI::App* group);
void add_experiment_replay_command(Program& program, CLI::App* group);
void add_experiment_create_command(Program& program, CLI::App* group);
void add_experiment_continue_command(Program& program, CLI::App* group);
void add_trial_commands(Program& program);
void add_support_bundle_command(Program& program, CLI::App* trial);
void add_job_commands(Program& program);
void add_resource_commands(Program& program);
void add_resource_pool_commands(Program& program);
// agent.cc: agents and slots.
void add_agent_commands(Program& program);
void add_user_edit_commands(Program& program, CLI::App* group);
void add_model_commands(Program& program);
void add_checkpoint_commands(Program& program);
void add_notebook_commands(Program& program);
void add_shell_commands(Program& program);
void add_command_commands(Program& program);
void add_tensorboard_commands(Program& program);
void add_gc_policy(Program& program, CLI::App* set);
// log_retention.cc: `kind` is experiment or trial.
void add_log_retention(Program& program, CLI::App* set, const std::string& kind);
void add_held_logs(Program& program, CLI::App* task);
void add_task_commands(Program& program);
void add_tunnel_command(Program& program);
void add_template_commands(Program& program);
void add_token_commands(Program& program);
void add_rbac_commands(Program& program);
void add_rbac_export(Program& program, CLI::App* group);
void add_user_group_commands(Program& program);
void add_config_policy_commands(Program& program);
void add_workspace_commands(Program& program);
void add_workspace_namespace_commands(Program& program, CLI::App* workspace);
// project.cc, also for the commands of workspaces and experiments.
void add_project_commands(Program& program);
void add_project_list(Program& program, CLI::App& group, const std::string& name,
                      const std::vector<std::string>& aliases);
void add_experiment_move_command(Program& program, CLI::App* group);
void add_user_commands(Program& program);
void add_master_commands(Program& program);
void add_cluster_message_commands(Program& program, CLI::App* master);
void add_deploy_commands(Program& program);
void add_auth_commands(Program& program);
void add_oauth_commands(Program& program);
void add_dev_commands(Program& program);
void add_completion_commands(Program& program);

}  // namespace det::cli
