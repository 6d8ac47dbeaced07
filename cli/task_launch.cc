#include "cli/task_launch.h"

#include <chrono>
#include <utility>

#include "base/yaml.h"
#include "cli/config_overrides.h"
#include "cli/input_file.h"
#include "cli/upload.h"
#include "cli/workspace_lookup.h"

namespace det::cli {
namespace {

constexpr std::chrono::seconds kLook{1};
constexpr std::chrono::minutes kPatience{30};
constexpr std::chrono::seconds kHintAfter{10};

Result<Json> read_config_file(const std::string& file) {
  const auto text = read_input_file("--config-file", file);
  DET_TRY(text);
  auto config = parse_yaml(*text);
  if (!config) return std::unexpected(with_context(config.error(), file));
  if (config->is_null()) return Json::object();
  if (config->is_object()) return config;
  return fail(ErrorCode::kInvalidArgument,
              file + ": a configuration holds keys and values, such as 'resources: {slots: 1}'");
}

Status add_volumes(Json& config, const std::vector<std::string>& volumes) {
  for (const std::string& volume : volumes) {
    const auto colon = volume.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == volume.size()) {
      return fail(ErrorCode::kInvalidArgument,
                  "--volume '" + volume + "': write <path on the host>:<path in the container>", "volume");
    }
    Json& mounts = config["bind_mounts"];
    if (mounts.is_null()) mounts = Json::array();
    if (!mounts.is_array()) {
      return fail(ErrorCode::kInvalidArgument, "bind_mounts: expected a list, for --volume adds to it", "bind_mounts");
    }
    mounts.push_back({{"host_path", volume.substr(0, colon)}, {"container_path", volume.substr(colon + 1)}});
  }
  return {};
}

// Why a task has ended, in its own words.
Task<std::string> ended_because(MasterClient client, const TaskKind& kind, std::string id) {
  const auto answer = co_await client.get(kind.path() + "/" + path_segment(id));
  std::string why = answer ? text_field(field(*answer, kind.name), "exitStatus") : "";
  co_return why;
}

}  // namespace

void add_config_options(CLI::App* leaf, LaunchOptions& options) {
  leaf->add_option("-c,--context", options.folder,
                   "a directory whose contents are copied into the task container, at most 95 MiB; itself it does not "
                   "appear there (see --include)");
  add_repeated(leaf, "-i,--include", options.includes,
               "a file or directory to copy into the task container under its own name (repeat for more)");
  add_repeated(leaf, "--config", options.overrides,
               "change the configuration: key.path=value, lists as a,b or [..], objects as {..} (repeat for more)");
}

void add_launch_options(CLI::App* leaf, LaunchOptions& options) {
  leaf->add_option("--config-file", options.config_file, "command config file (.yaml)");
  leaf->add_option("-w,--workspace-name", options.workspace, "workspace name");
  add_config_options(leaf, options);
  leaf->add_flag("-d,--detach", options.detach, "run in the background and print the ID");
}

void add_volume_and_template(CLI::App* leaf, LaunchOptions& options) {
  add_repeated(leaf, "-v,--volume", options.volumes,
               "<host path>:<container path>: mount a path of the host in the task container (repeat for more)");
  leaf->add_option("--template", options.template_name, "name of template to apply to the configuration");
}

Result<Json> launch_config(const LaunchOptions& options, const std::vector<std::string>& entrypoint) {
  Json config = Json::object();
  if (!options.config_file.empty()) {
    auto read = read_config_file(options.config_file);
    DET_TRY(read);
    config = std::move(*read);
  }
  auto changed = with_overrides(std::move(config), options.overrides);
  DET_TRY(changed);
  DET_TRY(add_volumes(*changed, options.volumes));
  const Json given = field(*changed, "entrypoint");
  if ((given.is_null() || given.empty()) && !entrypoint.empty()) (*changed)["entrypoint"] = entrypoint;
  return changed;
}

WrittenConfig written_config(const LaunchOptions& options) {
  WrittenConfig written{.file = options.config_file, .text = {}, .overrides = options.overrides};
  if (!options.config_file.empty()) written.text = read_input_file("--config-file", options.config_file).value_or("");
  return written;
}

Task<Result<Json>> launch(World& world, MasterClient client, const TaskKind& kind, LaunchOptions options, Json config,
                          Json more) {
  Json body = std::move(more);
  body["config"] = std::move(config);
  if (!options.template_name.empty()) body["templateName"] = options.template_name;
  if (!options.workspace.empty()) {
    const auto workspace = co_await workspace_id(client, options.workspace);
    DET_CO_TRY(workspace);
    body["workspaceId"] = *workspace;
  }
  const auto context = read_files_aloud(world, options.folder, options.includes, options.detach);
  DET_CO_TRY(context);
  if (!context->files.empty()) body["files"] = to_json(*context);
  auto answer = co_await upload_aloud(world, client, kind.path(), std::move(body));
  if (!answer) answer.error().message = with_places(answer.error().message, written_config(options));
  DET_CO_TRY(answer);
  print_config_warnings(world, *answer);
  if (!options.detach) print_launch_warnings(world, *answer);
  co_return answer;
}

std::string say_launched(World& world, const TaskKind& kind, const Json& answer, bool detach) {
  const Json task = field(answer, kind.name);
  std::string id = text_field(task, "id");
  if (detach) {
    world.out << id << std::endl;
  } else {
    const std::string text =
        std::string("Launched ") + kind.name + " (id: " + id + ", name: " + text_field(task, "description") + ").";
    world.out << colored(text, Color::kGreen, world.out_is_terminal) << std::endl;
  }
  return id;
}

// Its program has started.
bool is_running(const Json& allocations) {
  if (!allocations.is_array() || allocations.empty()) return false;
  const std::string state = text_field(allocations[0], "state");
  return state == "STATE_WAITING" || state == "STATE_RUNNING";
}

Task<Status> wait_until_ready(World& world, MasterClient client, const TaskKind& kind, std::string id) {
  const std::string what = kind.name;
  world.on_interrupt = "The " + what + " " + id + " goes on without this command; 'det task logs -f " + id +
                       "' shows its log, 'det " + what + " kill " + id + "' ends it.";
  const auto start = world.clock.steady_now();
  constexpr std::string_view kTurning = "|/-\\";
  std::size_t turn = 0;
  const char* hint = kind.runs_unready;
  const auto clear = [&world] {
    if (world.out_is_terminal) world.out << "\r\x1b[K" << std::flush;
  };
  while (true) {
    const auto answer = co_await client.get("/api/v1/tasks/" + path_segment(id));
    if (!answer) clear();
    DET_CO_TRY(answer);
    const Json task = field(*answer, "task");
    if (!field(task, "endTime").is_null()) {
      clear();
      world.on_interrupt.clear();
      const std::string why = co_await ended_because(client, kind, id);
      co_return fail(ErrorCode::kFailedPrecondition, "the " + what + " ended before it was ready" +
                                                         (why.empty() ? "" : ": " + why) + "; 'det task logs " + id +
                                                         "' shows its log");
    }
    const Json allocations = field(task, "allocations");
    if (allocations.is_array() && !allocations.empty() && field(allocations[0], "isReady") == true) break;
    if (hint != nullptr && world.clock.steady_now() - start > kHintAfter && is_running(allocations)) {
      clear();
      world.err << std::exchange(hint, nullptr) << std::endl;
    }
    if (world.clock.steady_now() - start > kPatience) {
      clear();
      co_return fail(ErrorCode::kDeadlineExceeded, "the " + what +
                                                       " was not ready within half an hour; it goes on: 'det " + what +
                                                       " open " + id + "' waits again, 'det job list' shows the queue");
    }
    if (world.out_is_terminal) {
      world.out << "\rWaiting for " << what << " to become ready " << kTurning[turn++ % kTurning.size()] << std::flush;
    }
    co_await world.clock.sleep_for(kLook);
  }
  clear();
  world.out << what << " (id: " << id << ") is ready." << std::endl;
  world.on_interrupt.clear();
  co_return Status();
}

void open_in_browser(World& world, const std::string& url) {
  const auto start = [&world, &url](const std::string& program) {
    return world.start_program && world.start_program({program, url}).has_value();
  };
  // A list, as the system's own tools read it.
  std::string named = world.variable_or("BROWSER", "");
  while (!named.empty()) {
    const auto colon = named.find(':');
    const std::string one = named.substr(0, colon);
    if (!one.empty() && start(one)) return;
    named = colon == std::string::npos ? "" : named.substr(colon + 1);
  }
  const bool has_desktop = world.variable("DISPLAY") || world.variable("WAYLAND_DISPLAY");
  if (has_desktop) start("xdg-open");
}

}  // namespace det::cli
