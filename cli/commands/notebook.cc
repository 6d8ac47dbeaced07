// det notebook.

#include "cli/standalone_tasks.h"
#include "cli/task_launch.h"
#include "cli/upload.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

struct StartOptions {
  LaunchOptions launch;
  bool no_browser = false;
  bool preview = false;
};

struct OpenOptions {
  std::string id;
  bool no_browser = false;
};

std::string url_of(const Session& session, const Json& notebook) {
  return session.client.master().url + text_field(notebook, "serviceAddress");
}

Task<Result<int>> start(Invocation in, StartOptions options) {
  World& world = in.world;
  auto config = launch_config(options.launch);
  DET_CO_TRY(config);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json more = {{"preview", options.preview}};
  // What is previewed is for files too.
  LaunchOptions launched = options.launch;
  launched.detach = launched.detach || options.preview;
  const auto answer = co_await launch(world, session->client, kNotebook, launched, std::move(*config), more);
  DET_CO_TRY(answer);
  if (options.preview) {
    world.out << yaml_text(field(*answer, "config")) << "\n";
    co_return kDone;
  }
  const std::string id = say_launched(world, kNotebook, *answer, options.launch.detach);
  if (options.launch.detach) co_return kDone;
  DET_CO_TRY(co_await wait_until_ready(world, session->client, kNotebook, id));
  const std::string url = url_of(*session, field(*answer, "notebook"));
  if (!options.no_browser) open_in_browser(world, url);
  world.out << colored("Jupyter Notebook is running at: " + url, Color::kGreen, world.out_is_terminal) << "\n"
            << "Connect to remote Jupyter server: " << url << std::endl;
  co_return kDone;
}

Task<Result<int>> open(Invocation in, OpenOptions options) {
  World& world = in.world;
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto notebook = co_await find_running_task(session->client, kNotebook, options.id);
  DET_CO_TRY(notebook);
  DET_CO_TRY(co_await wait_until_ready(world, session->client, kNotebook, notebook->id));
  const std::string url = url_of(*session, notebook->task);
  if (!options.no_browser) open_in_browser(world, url);
  world.out << colored("Jupyter Notebook is running at: " + url, Color::kGreen, world.out_is_terminal) << std::endl;
  co_return kDone;
}

}  // namespace

void add_notebook_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "notebook", {}, "manage notebooks");
  add_common_task_commands(program, group, kNotebook);

  CLI::App* leaf = program.add_leaf(*group, "start", {}, "start a new notebook");
  auto s = std::make_shared<StartOptions>();
  add_launch_options(leaf, s->launch);
  add_volume_and_template(leaf, s->launch);
  leaf->add_flag("--no-browser", s->no_browser, "don't open the notebook in a browser after startup");
  leaf->add_flag("--preview", s->preview, "preview the notebook configuration, and start nothing");
  program.runs(leaf, s, start);

  leaf = program.add_leaf(*group, "open", {}, "open an existing notebook");
  auto o = std::make_shared<OpenOptions>();
  leaf->add_option("notebook_id", o->id, "notebook ID, or how it begins")->required();
  leaf->add_flag("--no-browser", o->no_browser, "only print its address");
  program.runs(leaf, o, open);
}

}  // namespace det::cli
