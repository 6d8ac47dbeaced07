// det model: the registry.

#include "base/uuid.h"
#include "cli/experiment_tables.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/workspace_lookup.h"

namespace det::cli {
namespace {

struct ListOptions {
  std::string workspaces;  // with commas between them
  std::string sort_by = "last_updated_time";
  std::string order_by = "asc";
  bool as_json = false;
};

struct ModelOptions {
  std::string name;
  std::string description;
  std::string workspace;
  std::string uuid;
  std::int64_t version = -1;  // the latest
  bool as_json = false;
};

std::string path_of(const std::string& name) {
  return "/api/v1/models/" + path_segment(name);
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// "2026-11-21 17:20:14+00:00", as the Python command line prints the times of models. In JSON there is a T in it.
Json moment(const Json& time, char between) {
  Json cell = time_cell(time);
  if (!cell.is_string()) return cell;
  std::string text = cell.get<std::string>();
  if (text.size() != std::string_view("2026-11-21 17:20:14+0000").size()) return cell;
  text[10] = between;
  return text.insert(text.size() - 2, ":");
}

// What --json prints of a model: the fields that the Python command line knows.
Json shown(const Json& model) {
  return {{"name", field(model, "name")},
          {"id", field(model, "id")},
          {"description", field(model, "description")},
          {"creation_time", moment(field(model, "creationTime"), 'T')},
          {"last_updated_time", moment(field(model, "lastUpdatedTime"), 'T')},
          {"metadata", field(model, "metadata")},
          {"archived", field(model, "archived")}};
}

void print_model(World& world, const Json& model) {
  const Table table{
      .headers = {"ID", "Name", "Description", "Workspace ID", "Creation Time", "Last Updated Time", "Metadata"},
      .rows = {{field(model, "id"), field(model, "name"), field(model, "description"), field(model, "workspaceId"),
                moment(field(model, "creationTime"), ' '), moment(field(model, "lastUpdatedTime"), ' '),
                cell_json(field(model, "metadata"))}}};
  print_table(world, table, false);
}

void print_versions(World& world, const Json& versions) {
  Table table{.headers = {"Version #", "Trial ID", "Batch #", "Checkpoint UUID", "Validation Metrics", "Metadata"},
              .rows = {}};
  for (const Json& version : versions) {
    const Json checkpoint = field(version, "checkpoint");
    const Json training = field(checkpoint, "training");
    const Json metadata = field(checkpoint, "metadata");
    table.rows.push_back({field(version, "version"), field(training, "trialId"), field(metadata, "steps_completed"),
                          field(checkpoint, "uuid"), pretty_json(field(training, "validationMetrics")),
                          pretty_json(metadata)});
  }
  print_table(world, table, false);
}

Task<Result<Json>> find(MasterClient client, std::string name) {
  const auto answer = co_await client.get(path_of(name));
  DET_CO_TRY(answer);
  co_return field(*answer, "model");
}

std::string versions_path(const std::string& name) {
  return path_of(name) + "/versions";
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Query query = {{"sortBy", "SORT_BY_" + upper(options.sort_by)}, {"orderBy", "ORDER_BY_" + upper(options.order_by)}};
  for (std::size_t at = 0; !options.workspaces.empty() && at != std::string::npos;) {
    const std::size_t comma = options.workspaces.find(',', at);
    query.emplace_back("workspaceNames", options.workspaces.substr(at, comma - at));
    at = comma == std::string::npos ? comma : comma + 1;
  }
  const auto models = co_await session->client.list("/api/v1/models", "models", std::move(query), 0, 0, false);
  DET_CO_TRY(models);
  if (options.as_json) {
    Json all = Json::array();
    for (const Json& model : *models) all.push_back(shown(model));
    in.world.out << pretty_json(all) << "\n";
    co_return kDone;
  }
  Table table{.headers = {"ID", "Name", "Workspace ID", "Creation Time", "Last Updated Time", "Metadata"}, .rows = {}};
  for (const Json& model : *models) {
    table.rows.push_back({field(model, "id"), field(model, "name"), field(model, "workspaceId"),
                          moment(field(model, "creationTime"), ' '), moment(field(model, "lastUpdatedTime"), ' '),
                          pretty_json(field(model, "metadata"))});
  }
  print_table(in.world, table, false);
  co_return kDone;
}

Task<Result<int>> register_version(Invocation in, ModelOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto made =
      co_await session->client.send("POST", versions_path(options.name), Json({{"checkpointUuid", options.uuid}}));
  DET_CO_TRY(made);
  if (options.as_json) {
    in.world.out << pretty_json(*made) << "\n";
    co_return kDone;
  }
  const Json version = field(*made, "modelVersion");
  print_model(in.world, field(version, "model"));
  in.world.out << "\n\n";
  print_versions(in.world, Json::array({version}));
  co_return kDone;
}

Task<Result<int>> describe(Invocation in, ModelOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto model = co_await find(session->client, options.name);
  DET_CO_TRY(model);
  Json versions = Json::array();
  if (options.version == -1) {
    const auto latest = co_await session->client.get(
        versions_path(options.name), {{"sortBy", "SORT_BY_VERSION"}, {"orderBy", "ORDER_BY_DESC"}, {"limit", "1"}});
    DET_CO_TRY(latest);
    versions = field(*latest, "modelVersions");
  } else {
    const auto one = co_await session->client.get(versions_path(options.name) + "/" + std::to_string(options.version));
    DET_CO_TRY(one);
    versions.push_back(field(*one, "modelVersion"));
  }
  if (options.as_json) {
    in.world.out << pretty_json(shown(*model)) << "\n";
    co_return kDone;
  }
  print_model(in.world, *model);
  if (versions.empty()) co_return kDone;
  in.world.out << "\n\n";
  print_versions(in.world, versions);
  co_return kDone;
}

Task<Result<int>> list_versions(Invocation in, ModelOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  if (options.as_json) {
    const auto answer = co_await session->client.get(versions_path(options.name));
    DET_CO_TRY(answer);
    in.world.out << pretty_json(*answer) << "\n";
    co_return kDone;
  }
  const auto versions = co_await session->client.list(versions_path(options.name), "modelVersions",
                                                      {{"orderBy", "ORDER_BY_DESC"}}, 0, 0, false);
  DET_CO_TRY(versions);
  const auto model = co_await find(session->client, options.name);
  DET_CO_TRY(model);
  print_model(in.world, *model);
  in.world.out << "\n\n";
  print_versions(in.world, *versions);
  co_return kDone;
}

Task<Result<int>> create(Invocation in, ModelOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Json body = {{"name", options.name}};
  if (!options.description.empty()) body["description"] = options.description;
  if (!options.workspace.empty()) body["workspaceName"] = options.workspace;
  const auto made = co_await session->client.send("POST", "/api/v1/models", body);
  DET_CO_TRY(made);
  const Json model = field(*made, "model");
  if (options.as_json) {
    in.world.out << pretty_json(shown(model)) << "\n";
  } else {
    print_model(in.world, model);
  }
  co_return kDone;
}

Task<Result<int>> move(Invocation in, ModelOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  if (options.workspace.empty()) {
    co_return fail(ErrorCode::kInvalidArgument, "say where it goes: --workspace-name NAME", "workspace-name");
  }
  const auto workspace = co_await workspace_id(session->client, options.workspace);
  DET_CO_TRY(workspace);
  const Json body = {{"destinationWorkspaceId", *workspace}};
  const auto moved = co_await session->client.send("POST", path_of(options.name) + "/move", body);
  DET_CO_TRY(moved);
  co_return kDone;
}

Task<Result<int>> remove(Invocation in, ModelOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto gone = co_await session->client.send("DELETE", path_of(options.name));
  DET_CO_TRY(gone);
  co_return kDone;
}

std::string uuid_problem(const std::string& text) {
  return is_uuid(text)
             ? ""
             : "'" + text + "' is not a UUID; 'det experiment list-checkpoints ID' shows those of an experiment";
}

// A command that names one model.
CLI::App* add_model_command(Program& program, CLI::App& group, const std::string& name, const std::string& help,
                            const std::shared_ptr<ModelOptions>& o, Command<ModelOptions> command) {
  CLI::App* leaf = program.add_leaf(group, name, {}, help);
  leaf->add_option("name", o->name, "name of the model")->required();
  program.runs(leaf, o, command);
  return leaf;
}

void add_json_flag(CLI::App* leaf, bool& into) {
  leaf->add_flag("--json", into, "print as JSON");
}

}  // namespace

void add_model_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "model", {"m"}, "manage models");
  program.make_default<ListOptions>(group, "list all models in the registry", list);

  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, "list all models in the registry");
  auto l = std::make_shared<ListOptions>();
  leaf->add_option("-w,--workspace-names", l->workspaces, "list models in given list of comma-separated workspaces");
  leaf->add_option("--sort-by", l->sort_by, "sort models by the given field")
      ->check(CLI::IsMember({"name", "description", "creation_time", "last_updated_time"}))
      ->capture_default_str();
  leaf->add_option("--order-by", l->order_by, "order models in either ascending or descending order")
      ->check(CLI::IsMember({"asc", "desc"}))
      ->capture_default_str();
  add_json_flag(leaf, l->as_json);
  program.runs(leaf, l, list);

  auto o = std::make_shared<ModelOptions>();
  leaf =
      add_model_command(program, *group, "register-version", "register a new version of a model", o, register_version);
  leaf->add_option("uuid", o->uuid, "uuid to register as the next version of the model")
      ->required()
      ->check(CLI::Validator(uuid_problem, ""));
  add_json_flag(leaf, o->as_json);

  o = std::make_shared<ModelOptions>();
  leaf = add_model_command(program, *group, "describe", "describe model", o, describe);
  leaf->add_option("--version", o->version, "model version information to include in output; the latest if not given")
      ->check(whole_number(1));
  add_json_flag(leaf, o->as_json);

  o = std::make_shared<ModelOptions>();
  leaf = add_model_command(program, *group, "list-versions", "list the versions of a model", o, list_versions);
  add_json_flag(leaf, o->as_json);

  o = std::make_shared<ModelOptions>();
  leaf = add_model_command(program, *group, "create", "create model", o, create);
  leaf->add_option("-w,--workspace-name", o->workspace, "workspace name");
  leaf->add_option("--description", o->description, "description of the model");
  add_json_flag(leaf, o->as_json);

  o = std::make_shared<ModelOptions>();
  leaf = add_model_command(program, *group, "move", "move model to given workspace", o, move);
  leaf->add_option("-w,--workspace-name", o->workspace, "workspace name");

  o = std::make_shared<ModelOptions>();
  add_model_command(program, *group, "delete", "delete model", o, remove);
}

}  // namespace det::cli
