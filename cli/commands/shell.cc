// det shell.

#include <filesystem>

#include "cli/log_query.h"
#include "cli/login.h"
#include "cli/ssh_session.h"
#include "cli/standalone_tasks.h"
#include "cli/task_launch.h"

namespace det::cli {
namespace {

namespace fs = std::filesystem;

struct StartOptions {
  LaunchOptions launch;
  std::vector<std::string> ssh_options;
  bool shows_command = false;
};

struct OpenOptions {
  std::string id;
  std::vector<std::string> ssh_options;
  bool shows_command = false;
};

fs::path kept_key(const World& world, const std::string& shell) {
  const std::string cache = world.variable_or("XDG_CACHE_HOME", "");
  return (cache.empty() ? world.home / ".cache" : fs::path(cache)) / "determined" / "shell" / shell / "key";
}

Result<std::string> key_of(const Json& shell, const std::string& id) {
  std::string key = text_field(shell, "privateKey");
  if (!key.empty()) return key;
  return fail(ErrorCode::kPermissionDenied,
              "the key of shell " + id + " is only for its owner, user '" + text_field(shell, "username") + "'");
}

SshLogin login_of(const World& world, const Session& session, const Json& shell, const std::string& id) {
  SshLogin login{.program = world.program.string(),
                 .master_url = session.client.master().url,
                 .det_user = session.username,
                 .cert_file = world.variable_or("DET_MASTER_CERT_FILE", ""),
                 .cert_name = world.variable_or("DET_MASTER_CERT_NAME", ""),
                 .remote_user = text_field(field(shell, "agentUserGroup"), "user"),
                 .shell_id = id,
                 .key_file = {},
                 .options = {}};
  if (login.remote_user.empty()) login.remote_user = "root";
  std::error_code ignored;
  if (!login.cert_file.empty() && !is_noverify(login.cert_file)) {
    login.cert_file = fs::absolute(login.cert_file, ignored).string();
  }
  return login;
}

void print_command(World& world, const SshLogin& login) {
  world.out << colored(command_line(ssh_command(login)), Color::kGreen, world.out_is_terminal) << std::endl;
}

// ssh's exit code is ours.
Task<Result<int>> enter(World& world, Session session, std::string id, std::vector<std::string> ssh_options,
                        bool shows_command) {
  DET_CO_TRY(co_await wait_until_ready(world, session.client, kShell, id));
  // Asked again: the key and the user in the pod are those of the shell that runs.
  const auto shell = co_await find_running_task(session.client, kShell, id);
  DET_CO_TRY(shell);
  const auto key = key_of(shell->task, id);
  DET_CO_TRY(key);
  SshLogin login = login_of(world, session, shell->task, id);
  login.options = std::move(ssh_options);
  if (shows_command) {
    login.key_file = kept_key(world, id);
    DET_CO_TRY(keep_key(login.key_file, *key));
    print_command(world, login);
  }
  auto file = KeyFile::make(world.variable_or("TMPDIR", "/tmp"), *key);
  DET_CO_TRY(file);
  login.key_file = file->path();
  world.on_interrupt =
      "Shell " + id + " goes on; 'det shell open " + id + "' opens it again, 'det shell kill " + id + "' ends it.";
  const auto code = co_await world.run_program(ssh_command(login));
  if (!code && code.error().code == ErrorCode::kNotFound) {
    co_return fail(ErrorCode::kNotFound,
                   "there is no 'ssh' on PATH: install the OpenSSH client (openssh-client on Debian and Ubuntu); the "
                   "shell goes on, 'det shell kill " +
                       id + "' ends it");
  }
  DET_CO_TRY(code);
  world.on_interrupt.clear();
  world.out << colored("To reconnect, run: det shell open " + id, Color::kGreen, world.out_is_terminal) << std::endl;
  co_return *code;
}

Task<Result<int>> start(Invocation in, StartOptions options) {
  auto config = launch_config(options.launch);
  DET_CO_TRY(config);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await launch(in.world, session->client, kShell, options.launch, std::move(*config));
  DET_CO_TRY(answer);
  const std::string id = say_launched(in.world, kShell, *answer, options.launch.detach);
  if (options.launch.detach) co_return kDone;
  co_return co_await enter(in.world, std::move(*session), id, options.ssh_options, options.shows_command);
}

Task<Result<int>> open(Invocation in, OpenOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto shell = co_await find_running_task(session->client, kShell, options.id);
  DET_CO_TRY(shell);
  co_return co_await enter(in.world, std::move(*session), shell->id, options.ssh_options, options.shows_command);
}

Task<Result<int>> show_command(Invocation in, OpenOptions options) {
  World& world = in.world;
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  auto shell = co_await find_running_task(session->client, kShell, options.id);
  DET_CO_TRY(shell);
  DET_CO_TRY(co_await wait_until_ready(world, session->client, kShell, shell->id));
  const auto key = key_of(shell->task, shell->id);
  DET_CO_TRY(key);
  SshLogin login = login_of(world, *session, shell->task, shell->id);
  login.options = options.ssh_options;
  login.key_file = kept_key(world, shell->id);
  DET_CO_TRY(keep_key(login.key_file, *key));
  print_command(world, login);
  co_return kDone;
}

const char* const kSshHelp = "more of ssh's options, or a command to run there; behind -- when they begin with -";

}  // namespace

void add_shell_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "shell", {}, "manage shells");
  add_common_task_commands(program, group, kShell);

  CLI::App* leaf = program.add_leaf(*group, "start", {}, "start a new shell");
  auto s = std::make_shared<StartOptions>();
  leaf->add_option("ssh_opts", s->ssh_options, kSshHelp);
  add_launch_options(leaf, s->launch);
  add_volume_and_template(leaf, s->launch);
  leaf->add_flag("--show-ssh-command", s->shows_command, "show the ssh command (for use in an IDE) and keep its key");
  program.runs(leaf, s, start);

  leaf = program.add_leaf(*group, "open", {}, "open an existing shell");
  auto o = std::make_shared<OpenOptions>();
  leaf->add_option("shell_id", o->id, "shell ID, or how it begins")->required();
  leaf->add_option("ssh_opts", o->ssh_options, kSshHelp);
  leaf->add_flag("--show-ssh-command", o->shows_command, "show the ssh command (for use in an IDE) and keep its key");
  program.runs(leaf, o, open);

  leaf = program.add_leaf(*group, "show-ssh-command", {"show_ssh_command"}, "print the ssh command");
  auto c = std::make_shared<OpenOptions>();
  leaf->add_option("shell_id", c->id, "shell ID, or how it begins")->required();
  leaf->add_option("ssh_opts", c->ssh_options, kSshHelp);
  program.runs(leaf, c, show_command);
}

}  // namespace det::cli
