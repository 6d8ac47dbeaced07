// det task.

#include <utility>

#include "cli/allocation_table.h"
#include "cli/log_query.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/task_launch.h"
#include "cli/upload.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

struct ListOptions {
  bool as_csv = false;
  bool as_json = false;
};

struct LogsOptions {
  std::string id;
  LogOptions log;
};

struct Nothing {};

struct CreateOptions {
  LaunchOptions launch;
  std::optional<std::int64_t> project;
  std::string forked_from;
  std::string parent;
  bool inherits_context = false;
  bool no_pause = false;
  bool follow = false;
};

struct IdOptions {
  std::string id;
  bool as_json = false;
};

struct KillOptions {
  std::string id;
  bool from_root = false;
};

std::string path_of(const std::string& id) {
  return "/api/v1/tasks/" + path_segment(id);
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get("/api/v1/tasks");
  DET_CO_TRY(answer);
  Json summaries = field(*answer, "allocationIdToSummary");
  if (summaries.is_null()) summaries = Json::object();
  if (options.as_json) {
    in.world.out << pretty_json(summaries) << "\n";
  } else {
    print_table(in.world, allocation_table(summaries), options.as_csv);
  }
  co_return kDone;
}

Task<Result<int>> show_log(World& world, MasterClient client, std::string id, LogOptions options) {
  if (options.follow) {
    world.on_interrupt =
        "Task " + id + " goes on without this command; 'det task logs -f " + id + "' follows it again.";
  }
  const Status done = co_await print_log(world, client, task_log(id), options);
  world.on_interrupt.clear();
  DET_CO_TRY(done);
  co_return kDone;
}

Task<Result<int>> logs(Invocation in, LogsOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  co_return co_await show_log(in.world, session->client, options.id, options.log);
}

Task<Result<int>> clean_up_logs(Invocation in, Nothing options) {
  static_cast<void>(options);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.send("POST", "/api/v1/cleanup_logs", Json::object());
  DET_CO_TRY(answer);
  const Json removed = field(*answer, "removedCount");  // a 64-bit number may travel as text
  in.world.out << "Deleted "
               << (removed.is_string() ? removed.get<std::string>()
                                       : std::to_string(integer_field(*answer, "removedCount")))
               << " rows of log entries.\n";
  co_return kDone;
}

Task<Result<int>> say_created(World& world, MasterClient client, Json answer, bool follow) {
  const std::string id = text_field(answer, "taskId");
  print_config_warnings(world, answer);
  world.out << "Created task " << id << std::endl;
  print_launch_warnings(world, answer);
  if (!follow) co_return kDone;
  co_return co_await show_log(world, client, id, LogOptions{.follow = true});
}

Json given_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Task<Result<int>> create(Invocation in, CreateOptions options) {
  auto config = launch_config(options.launch);
  DET_CO_TRY(config);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto context = read_files_aloud(in.world, options.launch.folder, options.launch.includes, false);
  DET_CO_TRY(context);
  const Json body = {{"config", yaml_text(*config)},
                     {"contextDirectory", to_json(*context)},
                     {"projectId", options.project ? Json(*options.project) : Json()},
                     {"forkedFrom", given_or_null(options.forked_from)},
                     {"parentId", given_or_null(options.parent)},
                     {"inheritContext", options.inherits_context},
                     {"noPause", options.no_pause}};
  auto answer = co_await upload_aloud(in.world, session->client, "/api/v1/generic-tasks", body);
  DET_CO_TRY(answer);
  co_return co_await say_created(in.world, session->client, std::move(*answer), options.follow);
}

Task<Result<int>> fork(Invocation in, CreateOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"config", ""},
                     {"contextDirectory", Json::array()},
                     {"projectId", options.project ? Json(*options.project) : Json()},
                     {"forkedFrom", options.forked_from},
                     {"inheritContext", false}};
  auto answer = co_await session->client.send("POST", "/api/v1/generic-tasks", body);
  DET_CO_TRY(answer);
  co_return co_await say_created(in.world, session->client, std::move(*answer), options.follow);
}

Task<Result<int>> config(Invocation in, IdOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get(path_of(options.id) + "/config");
  DET_CO_TRY(answer);
  const Json found = Json::parse(text_field(*answer, "config"), nullptr, false);
  if (found.is_discarded()) {
    co_return fail(ErrorCode::kDataLoss, "the server's configuration of task " + options.id + " is no JSON");
  }
  in.world.out << (options.as_json ? pretty_json(found) : yaml_text(found)) << "\n";
  co_return kDone;
}

Task<Result<int>> pause(Invocation in, IdOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto done = co_await session->client.send("POST", path_of(options.id) + "/pause", Json::object());
  DET_CO_TRY(done);
  in.world.out << "Paused task: " << options.id << "\n";
  co_return kDone;
}

Task<Result<int>> unpause(Invocation in, IdOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto done = co_await session->client.send("POST", path_of(options.id) + "/unpause", Json::object());
  DET_CO_TRY(done);
  in.world.out << "Unpaused task: " << options.id << "\n";
  co_return kDone;
}

Task<Result<int>> kill(Invocation in, KillOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"taskId", options.id}, {"killFromRoot", options.from_root}};
  const auto done = co_await session->client.send("POST", path_of(options.id) + "/kill", body);
  DET_CO_TRY(done);
  in.world.out << "Sucessfully killed task: " << options.id << "\n";  // spelled as scripts know it
  co_return kDone;
}

void add_create(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "create", {}, "create a generic task");
  auto c = std::make_shared<CreateOptions>();
  leaf->add_option("config_file", c->launch.config_file, "task config file (.yaml)")->required();
  add_config_options(leaf, c->launch);
  leaf->add_option("--project_id", c->project, "place this task inside this project")->check(whole_number(1));
  leaf->add_flag("-f,--follow", c->follow, "follow the logs of the task that is created");
  leaf->add_option("--fork", c->forked_from, "ID of the task to fork from");
  auto* parent = leaf->add_option("-p,--parent", c->parent, "ID of the parent task");
  leaf->add_flag("--inherit_context", c->inherits_context, "take the files of the parent task")->needs(parent);
  leaf->add_flag("--no_pause", c->no_pause, "make the task unpausable");
  program.runs(leaf, c, create);

  leaf = program.add_leaf(*group, "fork", {}, "fork a generic task");
  auto f = std::make_shared<CreateOptions>();
  leaf->add_option("parent_task_id", f->forked_from, "ID of the task to fork from")->required();
  leaf->add_flag("-f,--follow", f->follow, "follow the logs of the task that is created");
  leaf->add_option("--project_id", f->project, "place this task inside this project")->check(whole_number(1));
  program.runs(leaf, f, fork);
}

}  // namespace

void add_task_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "task", {},
                                      "manage tasks (commands, experiments, notebooks, shells, tensorboards)");
  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, "list tasks in cluster");
  auto l = std::make_shared<ListOptions>();
  auto* csv = leaf->add_flag("--csv", l->as_csv, "Output in CSV format");
  leaf->add_flag("--json", l->as_json, "Output in JSON format")->excludes(csv);
  program.runs(leaf, l, list);
  program.make_default(group, "list tasks in cluster", list);

  leaf = program.add_leaf(*group, "logs", {}, "fetch task logs");
  auto g = std::make_shared<LogsOptions>();
  leaf->add_option("task_id", g->id, "task ID")->required();
  add_task_log_options(leaf, g->log);
  program.runs(leaf, g, logs);

  leaf = program.add_leaf(*group, "cleanup-logs", {}, "clean up expired task logs");
  program.runs(leaf, std::make_shared<Nothing>(), clean_up_logs);
  add_held_logs(program, group);

  add_create(program, group);

  const auto add_for_id = [&](const char* name, const char* help, Command<IdOptions> command) {
    CLI::App* one = program.add_leaf(*group, name, {}, help);
    auto o = std::make_shared<IdOptions>();
    one->add_option("task_id", o->id, "task ID")->required();
    if (command == config) one->add_flag("--json", o->as_json, "Output in JSON format");
    program.runs(one, o, command);
  };
  add_for_id("config", "display the config of a generic task", config);
  add_for_id("pause", "pause a generic task", pause);
  add_for_id("unpause", "resume a paused generic task", unpause);

  leaf = program.add_leaf(*group, "kill", {}, "kill a generic task and those it started");
  auto k = std::make_shared<KillOptions>();
  leaf->add_option("task_id", k->id, "task ID")->required();
  leaf->add_flag("--root", k->from_root, "kill from the root of its family on");
  program.runs(leaf, k, kill);
}

}  // namespace det::cli
