// det tensorboard.

#include "cli/standalone_tasks.h"
#include "cli/task_launch.h"
#include "cli/wrong_arguments.h"

namespace det::cli {
namespace {

struct StartOptions {
  LaunchOptions launch;
  std::vector<std::int64_t> experiments;
  std::vector<std::int64_t> trials;
  bool no_browser = false;
};

struct OpenOptions {
  std::string id;
  bool no_browser = false;
};

std::string url_of(const Session& session, const Json& tensorboard) {
  return session.client.master().url + text_field(tensorboard, "serviceAddress");
}

void say_url(World& world, const std::string& url, bool no_browser) {
  if (!no_browser) open_in_browser(world, url);
  world.out << colored("Tensorboard is running at: " + url, Color::kGreen, world.out_is_terminal) << std::endl;
}

Task<Result<int>> start(Invocation in, StartOptions options) {
  if (options.experiments.empty() && options.trials.empty()) {
    co_return wrong_arguments(
        "Either experiment_ids or trial_ids must be specified, for example 'det tensorboard start 1'");
  }
  auto config = launch_config(options.launch);
  DET_CO_TRY(config);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json more = {{"experimentIds", options.experiments}, {"trialIds", options.trials}};
  const auto answer =
      co_await launch(in.world, session->client, kTensorBoard, options.launch, std::move(*config), more);
  DET_CO_TRY(answer);
  const std::string id = say_launched(in.world, kTensorBoard, *answer, options.launch.detach);
  if (options.launch.detach) co_return kDone;
  DET_CO_TRY(co_await wait_until_ready(in.world, session->client, kTensorBoard, id));
  say_url(in.world, url_of(*session, field(*answer, "tensorboard")), options.no_browser);
  co_return kDone;
}

Task<Result<int>> open(Invocation in, OpenOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto tensorboard = co_await find_running_task(session->client, kTensorBoard, options.id);
  DET_CO_TRY(tensorboard);
  DET_CO_TRY(co_await wait_until_ready(in.world, session->client, kTensorBoard, tensorboard->id));
  say_url(in.world, url_of(*session, tensorboard->task), options.no_browser);
  co_return kDone;
}

}  // namespace

void add_tensorboard_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "tensorboard", {}, "manage TensorBoard instances");
  add_common_task_commands(program, group, kTensorBoard);

  CLI::App* leaf = program.add_leaf(*group, "start", {}, "start a new TensorBoard instance");
  auto s = std::make_shared<StartOptions>();
  leaf->add_option("experiment_ids", s->experiments,
                   "experiments to show; of one with more than 100 trials, the best 100")
      ->check(whole_number(1));
  leaf->add_option("-t,--trial-ids", s->trials, "trials to show, at most 100")->check(whole_number(1));
  add_launch_options(leaf, s->launch);
  leaf->add_flag("--no-browser", s->no_browser, "don't open TensorBoard in a browser after startup");
  program.runs(leaf, s, start);

  leaf = program.add_leaf(*group, "open", {}, "open an existing TensorBoard instance");
  auto o = std::make_shared<OpenOptions>();
  leaf->add_option("tensorboard_id", o->id, "TensorBoard ID, or how it begins")->required();
  leaf->add_flag("--no-browser", o->no_browser, "only print its address");
  program.runs(leaf, o, open);
}

}  // namespace det::cli
