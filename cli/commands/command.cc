// det command.

#include <chrono>

#include "cli/log_query.h"
#include "cli/standalone_tasks.h"
#include "cli/task_launch.h"

namespace det::cli {
namespace {

constexpr std::chrono::milliseconds kLook{500};

struct RunOptions {
  LaunchOptions launch;
  std::vector<std::string> entrypoint;
};

struct DescribeOptions {
  std::string id;
  bool as_csv = false;
  bool as_json = false;
};

// What the command returned, once it has ended. Who follows a log to its end is there a moment early.
Task<Result<int>> exit_code(World& world, MasterClient client, std::string id) {
  while (true) {
    const auto answer = co_await client.get("/api/v1/tasks/" + path_segment(id));
    DET_CO_TRY(answer);
    const Json task = field(*answer, "task");
    if (field(task, "endTime").is_null()) {
      co_await world.clock.sleep_for(kLook);
      continue;
    }
    const Json allocations = field(task, "allocations");
    const Json last = allocations.is_array() && !allocations.empty() ? allocations[0] : Json();
    const Json code = field(last, "statusCode");
    if (code == 0) co_return kDone;
    std::string why = text_field(last, "exitReason");
    if (why.empty()) {
      const auto command = co_await client.get(kCommand.path() + "/" + path_segment(id));
      if (command) why = text_field(field(*command, "command"), "exitStatus");
    }
    // It ended without a code of its own: killed, or never started.
    if (!code.is_number_integer()) {
      co_return fail(ErrorCode::kFailedPrecondition,
                     "command " + id + " did not end by itself" + (why.empty() ? "" : ": " + why));
    }
    world.err << colored("Command " + id + " ended with exit code " + code.dump() + (why.empty() ? "" : ": " + why),
                         Color::kRed, world.err_is_terminal)
              << "\n";
    co_return code.get<int>();
  }
}

Task<Result<int>> run(Invocation in, RunOptions options) {
  World& world = in.world;
  auto config = launch_config(options.launch, options.entrypoint);
  DET_CO_TRY(config);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await launch(world, session->client, kCommand, options.launch, std::move(*config));
  DET_CO_TRY(answer);
  const std::string id = say_launched(world, kCommand, *answer, options.launch.detach);
  if (options.launch.detach) co_return kDone;
  world.on_interrupt = "Command " + id + " goes on without this command; 'det task logs -f " + id +
                       "' follows it again, 'det command kill " + id + "' ends it.";
  const Status done = co_await print_log(world, session->client, task_log(id), LogOptions{.follow = true});
  if (!done) {
    Error error = done.error();
    error.message += " (the command itself goes on; 'det task logs -f " + id + "' follows it again)";
    co_return std::unexpected(std::move(error));
  }
  const auto code = co_await exit_code(world, session->client, id);
  world.on_interrupt.clear();
  co_return code;
}

Task<Result<int>> describe(Invocation in, DescribeOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  auto found = co_await find_task(session->client, kCommand, options.id);
  DET_CO_TRY(found);
  const auto named = co_await with_names(session->client, Json::array({std::move(found->task)}));
  DET_CO_TRY(named);
  if (options.as_json) {
    in.world.out << pretty_json(named->front()) << "\n";
  } else {
    print_table(in.world, task_table(kCommand, *named), options.as_csv);
  }
  co_return kDone;
}

}  // namespace

void add_command_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "command", {"cmd"}, "manage commands");
  add_common_task_commands(program, group, kCommand);

  CLI::App* leaf = program.add_leaf(*group, "describe", {}, "display command metadata");
  auto d = std::make_shared<DescribeOptions>();
  leaf->add_option("command_id", d->id, "command ID, or how it begins")->required();
  auto* csv = leaf->add_flag("--csv", d->as_csv, "Output in CSV format");
  leaf->add_flag("--json", d->as_json, "Output in JSON format")->excludes(csv);
  program.runs(leaf, d, describe);

  leaf = program.add_leaf(*group, "run", {}, "run a command");
  auto r = std::make_shared<RunOptions>();
  // All behind its first word is the command's, whatever it looks like.
  leaf->add_option("entrypoint", r->entrypoint, "the command and its arguments, behind all options");
  leaf->positionals_at_end();
  add_launch_options(leaf, r->launch);
  add_volume_and_template(leaf, r->launch);
  program.runs(leaf, r, run);
}

}  // namespace det::cli
