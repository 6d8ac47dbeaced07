// det template.

#include "base/yaml.h"
#include "cli/input_file.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/workspace_lookup.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

struct ListOptions {
  bool has_details = false;
};

struct NameOptions {
  std::string name;
};

struct FileOptions {
  std::string name;
  std::string file;
  std::string workspace;
};

std::string path_of(const std::string& name) {
  return "/api/v1/templates/" + path_segment(name);
}

// A file that holds a map; what is in it is checked where the template is used.
Result<Json> read_template_file(const std::string& file) {
  const auto text = read_input_file("template_file", file);
  DET_TRY(text);
  auto config = parse_yaml(*text);
  if (!config) return std::unexpected(with_context(config.error(), file));
  if (config->is_object()) return config;
  return fail(ErrorCode::kInvalidArgument,
              file + ": a template holds keys and values, such as 'resources: {slots_per_trial: 1}'");
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspaces = co_await session->client.list("/api/v1/workspaces", "workspaces", {}, 0, 0, false);
  DET_CO_TRY(workspaces);
  const auto templates = co_await session->client.list("/api/v1/templates", "templates", {}, 0, 0, false);
  DET_CO_TRY(templates);
  const auto workspace_of = [&](const Json& row) {
    for (const Json& workspace : *workspaces) {
      if (field(workspace, "id") == field(row, "workspaceId")) return text_field(workspace, "name");
    }
    return std::string("missing workspace");
  };
  Table table{.headers = {"Name", "Workspace"}, .rows = {}};
  if (options.has_details) table.headers.emplace_back("Config");
  for (const Json& row : *templates) {
    std::vector<Json> cells = {text_field(row, "name"), workspace_of(row)};
    if (options.has_details) {
      std::string text = yaml_text(field(row, "config"));
      text.erase(text.find_last_not_of('\n') + 1);
      cells.emplace_back(std::move(text));
    }
    table.rows.push_back(std::move(cells));
  }
  in.world.out << render_table(table, options.has_details ? TableStyle::kGrid : TableStyle::kPlain);
  co_return kDone;
}

Task<Result<int>> describe(Invocation in, NameOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get(path_of(options.name));
  DET_CO_TRY(answer);
  in.world.out << yaml_text(field(field(*answer, "template"), "config")) << "\n";
  co_return kDone;
}

int said(World& world, const std::string& what, const std::string& name) {
  world.out << colored(what + " template " + name, Color::kGreen, world.out_is_terminal) << "\n";
  return kDone;
}

Task<Status> post(MasterClient client, std::string name, Json config, std::int64_t workspace) {
  const Json body = {{"name", name}, {"config", std::move(config)}, {"workspaceId", workspace}};
  const auto made = co_await client.send("POST", path_of(name), body);
  DET_CO_TRY(made);
  co_return Status();
}

Task<Result<int>> set(Invocation in, FileOptions options) {
  const auto config = read_template_file(options.file);
  DET_CO_TRY(config);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto changed = co_await session->client.send("PATCH", path_of(options.name), *config);
  if (changed) co_return said(in.world, "Set", options.name);
  if (changed.error().code != ErrorCode::kNotFound) co_return std::unexpected(changed.error());
  DET_CO_TRY(co_await post(session->client, options.name, *config, 0));
  co_return said(in.world, "Set", options.name);
}

Task<Result<int>> set_config(Invocation in, FileOptions options) {
  const auto config = read_template_file(options.file);
  DET_CO_TRY(config);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto changed = co_await session->client.send("PATCH", path_of(options.name), *config);
  DET_CO_TRY(changed);
  co_return said(in.world, "Updated", options.name);
}

Task<Result<int>> create(Invocation in, FileOptions options) {
  const auto config = read_template_file(options.file);
  DET_CO_TRY(config);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  std::int64_t workspace = 0;  // the server's default
  if (!options.workspace.empty()) {
    const auto named = co_await workspace_id(session->client, options.workspace);
    DET_CO_TRY(named);
    workspace = *named;
  }
  DET_CO_TRY(co_await post(session->client, options.name, *config, workspace));
  co_return said(in.world, "Created", options.name);
}

Task<Result<int>> remove(Invocation in, NameOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto gone = co_await session->client.send("DELETE", path_of(options.name));
  DET_CO_TRY(gone);
  co_return said(in.world, "Removed", options.name);
}

void add_file_command(Program& program, CLI::App& group, const std::string& name, const std::string& help,
                      Command<FileOptions> command) {
  CLI::App* leaf = program.add_leaf(group, name, {}, help);
  auto o = std::make_shared<FileOptions>();
  leaf->add_option("template_name", o->name, "template name")->required();
  leaf->add_option("template_file", o->file, "config template file (.yaml)")->required();
  if (name == "create") leaf->add_option("-w,--workspace-name", o->workspace, "workspace name");
  program.runs(leaf, o, command);
}

}  // namespace

void add_template_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "template", {"tpl"}, "manage config templates");
  program.make_default<ListOptions>(group, "list config templates", list);

  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, "list config templates");
  auto l = std::make_shared<ListOptions>();
  leaf->add_flag("-d,--details", l->has_details, "show the configs of the templates");
  program.runs(leaf, l, list);

  leaf = program.add_leaf(*group, "describe", {}, "describe config template");
  auto d = std::make_shared<NameOptions>();
  leaf->add_option("template_name", d->name, "template name")->required();
  program.runs(leaf, d, describe);

  add_file_command(program, *group, "set", "set config template", set);
  CLI::App* values = program.add_group(*group, "set-value", {}, "set template attributes");
  add_file_command(program, *values, "config", "update config template", set_config);
  add_file_command(program, *group, "create", "create config template", create);

  leaf = program.add_leaf(*group, "remove", {"rm"}, "remove config template");
  auto r = std::make_shared<NameOptions>();
  leaf->add_option("template_name", r->name, "template name")->required();
  program.runs(leaf, r, remove);
}

}  // namespace det::cli
