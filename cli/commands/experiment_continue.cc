// det experiment continue.

#include "cli/first_trial.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/task_launch.h"
#include "cli/upload.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

struct ContinueOptions {
  std::int64_t id = 0;
  LaunchOptions changes;  // file and overrides alone
  bool follow = false;
};

Task<Result<int>> go_on(Invocation in, ContinueOptions options) {
  const auto changes = launch_config(options.changes);
  DET_CO_TRY(changes);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"id", options.id}, {"overrideConfig", yaml_text(*changes)}};
  auto answer = co_await session->client.send("POST", "/api/v1/experiments/continue", body);
  if (!answer) answer.error().message = with_places(answer.error().message, written_config(options.changes));
  DET_CO_TRY(answer);
  print_config_warnings(in.world, *answer);
  in.world.out << "Continued experiment " << options.id << std::endl;
  print_launch_warnings(in.world, *answer);
  if (!options.follow) co_return kDone;
  co_return co_await follow_first_trial(in.world, session->client, options.id);
}

}  // namespace

void add_experiment_continue_command(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "continue", {}, "continue an ended experiment");
  auto o = std::make_shared<ContinueOptions>();
  add_id(leaf, "experiment_id", o->id, "experiment ID to continue");
  leaf->add_option("--config-file", o->changes.config_file, "what of the configuration is replaced (.yaml)");
  add_repeated(leaf, "--config", o->changes.overrides,
               "change the configuration: key.path=value, lists as a,b or [..], objects as {..} (repeat for more)");
  leaf->add_flag("-f,--follow-first-trial,--follow", o->follow, "follow the logs of the first trial");
  program.runs(leaf, o, go_on);
}

}  // namespace det::cli
