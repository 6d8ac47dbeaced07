#include "cli/program.h"

#include <algorithm>
#include <charconv>

#include <poll.h>
#include <unistd.h>

#include <boost/asio/this_coro.hpp>

#include "cli/completion.h"
#include "cli/exact_words.h"
#include "cli/listing_hint.h"
#include "cli/refused_options.h"
#include "cli/text.h"
#include "cli/versions.h"
#include "cli/wrong_arguments.h"

namespace det::cli {
namespace {

CLI::App* deepest(CLI::App* app) {
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  return app;
}

std::string full_name(const CLI::App* app) {
  return app->get_parent() == nullptr ? app->get_name() : full_name(app->get_parent()) + " " + app->get_name();
}

// Of `app` itself: App::help() would be that of the command that was chosen in it.
std::string help_of(const CLI::App* app) {
  return app->get_formatter()->make_help(app, full_name(app), CLI::AppFormatMode::Normal);
}

std::string names_of_commands(const CLI::App& app) {
  std::string text;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App* s) { return !s->get_group().empty(); })) {
    text += (text.empty() ? "" : ", ") + sub->get_name();
  }
  return text;
}

// One line, whatever the library says.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

Task<Result<int>> refuse(std::string why) {
  co_return fail(ErrorCode::kUnimplemented, std::move(why));
}

}  // namespace

Program::Program() : app_("Determined command-line client", "det") {
  // -m and -u are taken behind the command too.
  app_.fallthrough();
  app_.require_subcommand(0, 1);
  add_help(app_);
  app_.add_option("-u,--user", globals_.user, "run as the given user")->type_name("username");
  app_.add_option("-m,--master", globals_.master, "master address (default: $DET_MASTER, else localhost:8080)")
      ->type_name("address");
  app_.add_flag("-v,--version", wants_version_, "print CLI version and exit");
  add_experiment_commands(*this);
  add_trial_commands(*this);
  add_notebook_commands(*this);
  add_shell_commands(*this);
  add_command_commands(*this);
  add_tensorboard_commands(*this);
  add_task_commands(*this);
  add_tunnel_command(*this);
  add_agent_commands(*this);
  add_job_commands(*this);
  add_resource_commands(*this);
  add_resource_pool_commands(*this);
  add_checkpoint_commands(*this);
  add_template_commands(*this);
  add_token_commands(*this);
  add_rbac_commands(*this);
  add_user_group_commands(*this);
  add_model_commands(*this);
  add_config_policy_commands(*this);
  add_workspace_commands(*this);
  add_project_commands(*this);
  add_user_commands(*this);
  add_master_commands(*this);
  add_deploy_commands(*this);
  add_auth_commands(*this);
  add_oauth_commands(*this);
  add_dev_commands(*this);
  add_completion_commands(*this);
  unmark_options(app_);
}

CLI::App* Program::add_group(CLI::App& parent, const std::string& name, const std::vector<std::string>& aliases,
                             const std::string& help) {
  CLI::App* group = add_leaf(parent, name, aliases, help);
  group->require_subcommand(0, 1);
  add_help(*group);
  group->callback([this, group] {
    if (group->get_subcommands().empty()) help_for_ = group;
  });
  return group;
}

void Program::add_help(CLI::App& group) {
  add_leaf(group, "help", {}, "show help for this command")->group("")->callback([this, &group] {
    help_for_ = &group;
  });
}

CLI::App* Program::add_leaf(CLI::App& parent, const std::string& name, const std::vector<std::string>& aliases,
                            const std::string& help) {
  CLI::App* leaf = parent.add_subcommand(name, help);
  for (const std::string& alias : aliases) leaf->alias(alias);
  return leaf;
}

void Program::add_refused(CLI::App& parent, const std::string& name, const std::vector<std::string>& aliases,
                          const std::string& help, const std::string& why) {
  CLI::App* leaf = add_leaf(parent, name, aliases, help);
  leaf->group("")->fallthrough(false)->prefix_command();
  leaf->callback([this, help, why] {
    doing_ = help;
    chosen_ = [why](Invocation) -> Task<Result<int>> { return refuse(why); };
  });
}

int Program::parse_failed(World& world, const CLI::ParseError& error) {
  CLI::App* at = deepest(&app_);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    world.out << help_of(at);
    return kDone;
  }
  std::string what = one_line(without_marks(error.what()));
  // What a command does not know moves up to the root.
  auto unknown = app_.remaining(true);
  for (std::string& word : unknown) word = without_marks(std::move(word));
  const std::string name = full_name(at);
  const bool has_commands = !names_of_commands(*at).empty();
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unknown.empty();
  if (auto why = why_refused(name, unknown)) {
    what = std::move(*why);
  } else if (is_extra && has_commands && !unknown.front().starts_with('-')) {
    what = "unknown command '" + unknown.front() + "'; there are: " + names_of_commands(*at);
  } else if (is_extra) {
    what = unknown.size() == 1 ? "this argument was not expected:" : "these arguments were not expected:";
    for (const std::string& one : unknown) what += " " + one;  // in the order in which they came, unlike the library
  }
  world.err << name << ": error: " << what << " (see '" << name << " --help')\n";
  return kUsage;
}

namespace {

// Complains of output that was lost. Where who read it has left (det trial logs 1 | head) there is nothing to say.
int written(World& world, int code) {
  world.out.flush();
  if (world.out) return code;
  pollfd reader{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  if (::poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR) != 0) return code;
  world.err << colored("Failed to write the output: not all of it could be written", Color::kRed, world.err_is_terminal)
            << "\n";
  return code == kDone ? kFailed : code;
}

}  // namespace

Task<int> Program::run(World& world, std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "__complete") {
    // The shells' question (cli/completion.h); what was typed so far need not be a command yet.
    arguments.erase(arguments.begin());
    for (const std::string& word : completions(app_, arguments)) world.out << word << "\n";
    co_return written(world, kDone);
  }
  mark_words(arguments);
  std::ranges::reverse(arguments);  // as the library wants them
  std::optional<int> code;
  try {
    app_.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    code = parse_failed(world, error);
  }
  if (code) co_return written(world, *code);
  if (wants_version_) {
    world.out << "det " << kClientVersion << " (for masters of version " << kProtocolVersion << ")\n";
    co_return written(world, kDone);
  }
  if (!chosen_ && help_for_ != nullptr) {
    world.out << help_of(help_for_);
    co_return written(world, kDone);
  }
  if (!chosen_) {
    world.err
        << "usage: det [-h] [-u username] [-m address] [-v] COMMAND ...\ndet: no subcommand specified; there are: "
        << names_of_commands(app_) << "\n";
    co_return kUsage;
  }
  const auto done = co_await chosen_(Invocation{.world = world, .globals = globals_});
  if (done) co_return written(world, *done);
  world.out.flush();
  // Ctrl-C: who caught it says what goes on.
  if ((co_await asio::this_coro::cancellation_state).cancelled() != asio::cancellation_type::none) co_return kFailed;
  // It broke off because nothing takes its output any more.
  if (!world.out && done.error().code == ErrorCode::kCanceled) co_return written(world, kFailed);
  const std::string what = done.error().message + listing_hint(done.error().message);
  const std::string& doing = world.doing.empty() ? doing_ : world.doing;
  world.err << colored("Failed to " + doing + ": " + what, Color::kRed, world.err_is_terminal) << "\n";
  co_return done.error().field == kArgumentsField ? kUsage : kFailed;
}

void print_table(World& world, const Table& table, bool as_csv) {
  world.out << (as_csv ? render_csv(table) : render_table(table));
}

void add_page_options(CLI::App* leaf, PageOptions& options) {
  leaf->add_option("--limit", options.limit, "maximum items per page of results")->check(whole_number(0));
  leaf->add_option("--offset", options.offset, "number of items to skip before starting page of results")
      ->check(whole_number(std::numeric_limits<std::int64_t>::min()));
  leaf->add_option("--pages", options.pages, "'all': fetch all available data; '1': fetch a single page")
      ->check(CLI::IsMember({"1", "all"}));
}

CLI::Validator whole_number(std::int64_t min, std::int64_t max) {
  const auto check = [min, max](std::string& text) -> std::string {
    std::int64_t value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error == std::errc() && end == last && value >= min && value <= max) return "";
    std::string wanted = "a whole number";
    if (max != std::numeric_limits<std::int64_t>::max()) {
      wanted += " from " + std::to_string(min) + " to " + std::to_string(max);
    } else if (min != std::numeric_limits<std::int64_t>::min()) {
      wanted += " of at least " + std::to_string(min);
    }
    return "'" + text + "' is not " + wanted;
  };
  return {check, ""};
}

void add_id(CLI::App* leaf, const std::string& name, std::int64_t& into, const std::string& help) {
  leaf->add_option(name, into, help)->required()->check(whole_number(1));
}

CLI::Option* add_repeated(CLI::App* leaf, const std::string& name, std::vector<std::string>& into,
                          const std::string& help) {
  return leaf->add_option(name, into, help)->allow_extra_args(false)->take_all();
}

}  // namespace det::cli
