// det master info and logs, det version, det preview-search.

#include <fstream>
#include <sstream>

#include "base/yaml.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/versions.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

struct SettingOptions {
  std::string level;
  std::string color;
};

struct InfoOptions {
  bool as_json = false;
  bool as_yaml = false;
};

struct NoOptions {};

struct PreviewOptions {
  std::string config_file;
};

Task<Result<int>> info(Invocation in, InfoOptions options) {
  // Nobody must log in to ask who a master is.
  auto client = open_client(in);
  DET_CO_TRY(client);
  const auto answer = co_await client->get("/api/v1/master");
  DET_CO_TRY(answer);
  in.world.out << (options.as_json ? pretty_json(*answer) + "\n" : yaml_text(*answer));
  co_return kDone;
}

struct LogsOptions {
  bool follow = false;
  std::int64_t tail = 0;
};

Task<Result<int>> logs(Invocation in, LogsOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Query query = {{"follow", options.follow ? "true" : "false"}};
  if (options.tail > 0) query.emplace_back("offset", std::to_string(-options.tail));
  const auto print = [&in](const Json& item) { in.world.out << master_log_line(field(item, "logEntry")) << "\n"; };
  DET_CO_TRY(co_await session->client.follow("/api/v1/master/logs", std::move(query), print));
  co_return kDone;
}

Task<Result<int>> show_config(Invocation in, InfoOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get("/api/v1/master/config");
  DET_CO_TRY(answer);
  const Json config = field(*answer, "config");
  in.world.out << (options.as_json ? pretty_json(config) + "\n" : yaml_text(config));
  co_return kDone;
}

Task<Result<int>> set_config(Invocation in, SettingOptions options) {
  Json log = Json::object();
  Json paths = Json::array();
  if (!options.color.empty()) {
    log["color"] = options.color == "on";
    paths.push_back("log.color");
  }
  if (!options.level.empty()) {
    log["level"] = "LOG_LEVEL_" + options.level;
    paths.push_back("log.level");
  }
  if (paths.empty()) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "Please provide at least one argument to set master config. Currently, the supported fields are "
                   "--log.level and --log.color.");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"config", {{"log", log}}}, {"fieldMask", {{"paths", paths}}}};
  DET_CO_TRY(co_await session->client.send("PATCH", "/api/v1/master/config", body));
  in.world.err << colored("Every server has it from now on; one that starts has what it was configured with.",
                          Color::kYellow, in.world.err_is_terminal)
               << "\n";
  in.world.out << "Successfully made changes to the master config.\n";
  co_return kDone;
}

Task<Result<int>> version(Invocation in, NoOptions) {
  auto client = open_client(in);
  DET_CO_TRY(client);
  const auto answer = co_await client->get("/info");
  Json master = {{"cluster_id", ""}, {"master_id", ""}, {"version", ""}};
  if (answer && answer->is_object()) master = *answer;
  const Json all = {{"client", {{"version", kClientVersion}, {"protocol", kProtocolVersion}}},
                    {"master", master},
                    {"master_address", client->master().url}};
  in.world.out << yaml_text(all);
  // What this program is can be said without a master.
  if (!answer) in.world.err << colored(answer.error().message, Color::kYellow, in.world.err_is_terminal) << "\n";
  co_return kDone;
}

Task<Result<int>> preview_search(Invocation in, PreviewOptions options) {
  std::ifstream file(options.config_file);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) co_return fail(ErrorCode::kInvalidArgument, "config_file '" + options.config_file + "' cannot be read");
  const auto config = parse_yaml(text.str());
  if (!config) co_return std::unexpected(with_context(config.error(), options.config_file));
  if (field(*config, "searcher").is_null()) {
    co_return fail(ErrorCode::kInvalidArgument, "Missing 'searcher' config section in experiment config.", "searcher");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"config", *config}};
  const auto answer = co_await session->client.send("POST", "/api/v1/preview-hp-search", body);
  DET_CO_TRY(answer);
  const Json summary = field(*answer, "summary");
  Json shown = Json::object();
  const Json searcher = field(summary, "config");
  for (const auto& [key, value] : searcher.items()) {
    if (!value.is_null()) shown[key] = value;
  }
  Table table{.headers = {"Trials", "Training Time"}, .rows = {}};
  const Json trials = field(summary, "trials");
  for (const Json& trial : trials) {
    const Json unit = field(trial, "unit");
    std::string time = "train to completion";
    if (field(unit, "maxLength") != true) {
      time = "train for " + std::to_string(integer_field(unit, "value")) + " " + text_field(unit, "name");
    }
    table.rows.push_back({field(trial, "count"), time});
  }
  World& world = in.world;
  world.out << colored("Using search configuration:", Color::kGreen, world.out_is_terminal) << "\n"
            << yaml_text(shown) << "\n"
            << render_table(table);
  co_return kDone;
}

}  // namespace

void add_master_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "master", {}, "manage master");
  CLI::App* leaf = program.add_leaf(*group, "info", {}, "fetch master info");
  auto i = std::make_shared<InfoOptions>();
  leaf->add_flag("--json", i->as_json, "Output in JSON format");
  auto* yaml = leaf->add_flag("--yaml", i->as_yaml, "Output in YAML format (default)");
  leaf->get_option("--json")->excludes(yaml);
  program.runs(leaf, i, info);

  CLI::App* config = program.add_group(*group, "config", {}, "manage master config");
  leaf = program.add_leaf(*config, "show", {}, "show master config");
  auto c = std::make_shared<InfoOptions>();
  auto* config_json = leaf->add_flag("--json", c->as_json, "Output in JSON format");
  leaf->add_flag("--yaml", c->as_yaml, "Output in YAML format")->excludes(config_json);
  program.runs(leaf, c, show_config);
  program.make_default<InfoOptions>(config, "show master config", show_config);

  leaf = program.add_leaf(*config, "set", {}, "set master config");
  auto s = std::make_shared<SettingOptions>();
  leaf->add_option("--log.level", s->level, "level of the master's log")
      ->check(CLI::IsMember({"TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}));
  leaf->add_option("--log.color", s->color, "colors in the master's log")->check(CLI::IsMember({"on", "off"}));
  program.runs(leaf, s, set_config);

  leaf = program.add_leaf(*group, "logs", {}, "fetch master logs");
  auto l = std::make_shared<LogsOptions>();
  leaf->add_flag("-f,--follow", l->follow, "follow the logs of master, similar to tail -f");
  leaf->add_option("--tail", l->tail, "number of lines to show, counting from the end of the log (default is all)")
      ->check(whole_number(1));
  program.runs(leaf, l, logs);
  add_cluster_message_commands(program, group);

  leaf = program.add_leaf(program.root(), "version", {}, "show version information");
  program.runs(leaf, std::make_shared<NoOptions>(), version);

  leaf = program.add_leaf(program.root(), "preview-search", {}, "preview search");
  auto p = std::make_shared<PreviewOptions>();
  leaf->add_option("config_file", p->config_file, "experiment config file (.yaml)")->required();
  program.runs(leaf, p, preview_search);
}

}  // namespace det::cli
