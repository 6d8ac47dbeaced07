// det project, and det experiment move.

#include <algorithm>

#include "cli/experiment_tables.h"
#include "cli/login.h"
#include "cli/place_deletion.h"
#include "cli/place_tables.h"
#include "cli/program.h"
#include "cli/workspace_lookup.h"

namespace det::cli {
namespace {

struct ListOptions {
  std::string workspace;
  std::string project;  // of experiments
  std::string sort_by = "id";
  std::string order_by = "asc";
  std::int64_t limit = 200;
  std::int64_t offset = 0;
  bool all = false;
  bool as_json = false;
};

struct ProjectOptions {
  std::string workspace;
  std::string project;
  std::optional<std::string> new_name;
  std::optional<std::string> description;
  std::optional<std::string> key;
  bool all = false;
  bool as_json = false;
  bool yes = false;
};

struct MoveOptions {
  std::int64_t id = 0;
  std::string workspace;
  std::string project;
};

std::string path_of(const Json& project) {
  return "/api/v1/projects/" + std::to_string(integer_field(project, "id"));
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

void show(World& world, const Json& project, bool as_json) {
  world.out << (as_json ? pretty_json(project) + "\n" : render_table(project_table(Json::array({project}))));
}

// Sorted and cut here, as the Python command line does.
Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto found = co_await session->client.get("/api/v1/workspaces", {{"name", options.workspace}});
  DET_CO_TRY(found);
  const Json workspaces = field(*found, "workspaces");
  if (!workspaces.is_array() || workspaces.empty()) {
    co_return fail(ErrorCode::kNotFound, "No workspace found with name " + options.workspace);
  }
  const std::string path = "/api/v1/workspaces/" + std::to_string(integer_field(workspaces[0], "id")) + "/projects";
  const auto projects = co_await session->client.list(path, "projects", {}, 0, 0, false);
  DET_CO_TRY(projects);
  std::vector<Json> sorted(projects->begin(), projects->end());
  std::ranges::sort(sorted, [&](const Json& one, const Json& other) {
    const Json left = field(one, options.sort_by);
    const Json right = field(other, options.sort_by);
    return options.order_by == "desc" ? right < left : left < right;
  });
  Json page = Json::array();
  const auto begin = static_cast<std::size_t>(options.offset);
  for (std::size_t i = begin; i < sorted.size() && i - begin < static_cast<std::size_t>(options.limit); ++i) {
    page.push_back(sorted[i]);
  }
  if (!options.as_json) {
    in.world.out << render_table(project_table(page));
    co_return kDone;
  }
  Json shown = Json::array();
  for (const Json& project : page) {
    Json one;
    for (const char* key : {"archived", "description", "id", "name", "notes", "numActiveExperiments", "numExperiments",
                            "workspaceId", "username"}) {
      one[key] = field(project, key);
    }
    shown.push_back(std::move(one));
  }
  in.world.out << pretty_json(shown) << "\n";
  co_return kDone;
}

Task<Result<int>> show_experiments(Invocation in, Session session, std::int64_t project, ListOptions options) {
  Query query = {{"projectId", std::to_string(project)},
                 {"orderBy", options.order_by == "desc" ? "ORDER_BY_DESC" : "ORDER_BY_ASC"},
                 {"sortBy", options.sort_by == "name" ? "SORT_BY_NAME" : "SORT_BY_ID"}};
  if (!options.all) {
    query.emplace_back("users", session.username);
    query.emplace_back("archived", "false");
  }
  const auto found = co_await session.client.list("/api/v1/experiments", "experiments", query, options.limit,
                                                  options.offset, options.offset != 0);
  DET_CO_TRY(found);
  in.world.out << (options.as_json
                       ? pretty_json(*found) + "\n"
                       : render_table(experiment_list(*found, {.project = false, .archived = options.all})));
  co_return kDone;
}

Task<Result<int>> list_experiments(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto project = co_await project_named(session->client, options.workspace, options.project);
  DET_CO_TRY(project);
  co_return co_await show_experiments(in, *session, integer_field(*project, "id"), options);
}

Task<Result<int>> create(Invocation in, ProjectOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspace = co_await workspace_named(session->client, options.workspace);
  DET_CO_TRY(workspace);
  const std::int64_t id = integer_field(*workspace, "id");
  const Json body = {{"name", options.project},
                     {"workspaceId", id},
                     {"description", or_null(options.description)},
                     {"key", or_null(options.key)}};
  const auto made =
      co_await session->client.send("POST", "/api/v1/workspaces/" + std::to_string(id) + "/projects", body);
  DET_CO_TRY(made);
  show(in.world, field(*made, "project"), options.as_json);
  co_return kDone;
}

Task<Result<int>> describe(Invocation in, ProjectOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto project = co_await project_named(session->client, options.workspace, options.project);
  DET_CO_TRY(project);
  show(in.world, *project, options.as_json);
  if (options.as_json) co_return kDone;
  in.world.out << "\nAssociated Experiments\n";
  ListOptions experiments;
  experiments.all = options.all;
  co_return co_await show_experiments(in, *session, integer_field(*project, "id"), experiments);
}

Task<Result<int>> edit(Invocation in, ProjectOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto project = co_await project_named(session->client, options.workspace, options.project);
  DET_CO_TRY(project);
  const Json body = {{"name", or_null(options.new_name)},
                     {"description", or_null(options.description)},
                     {"key", or_null(options.key)}};
  const auto changed = co_await session->client.send("PATCH", path_of(*project), body);
  DET_CO_TRY(changed);
  show(in.world, field(*changed, "project"), options.as_json);
  co_return kDone;
}

template <bool kArchived>
Task<Result<int>> set_archived(Invocation in, ProjectOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto project = co_await project_named(session->client, options.workspace, options.project);
  DET_CO_TRY(project);
  const auto done = co_await session->client.send("POST", path_of(*project) + (kArchived ? "/archive" : "/unarchive"));
  DET_CO_TRY(done);
  in.world.out << "Successfully " << (kArchived ? "archived" : "un-archived") << " project " << options.project
               << ".\n";
  co_return kDone;
}

Task<Result<int>> remove(Invocation in, ProjectOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto project = co_await project_named(session->client, options.workspace, options.project);
  DET_CO_TRY(project);
  std::string question;
  if (!options.yes) {
    question = "Deleting project \"" + options.project +
               "\" will result in the \n"
               "unrecoverable deletion of this project and all of its experiments and notes.\n"
               "For a recoverable alternative, see the 'archive' command. Do you still \n"
               "wish to proceed?";
  }
  co_return co_await delete_place(in, session->client,
                                  {.kind = "project",
                                   .name = options.project,
                                   .path = path_of(*project),
                                   .question = std::move(question),
                                   .contents = "experiment",
                                   .count = "numExperiments"});
}

Task<Result<int>> move(Invocation in, MoveOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto project = co_await project_named(session->client, options.workspace, options.project);
  DET_CO_TRY(project);
  const Json body = {{"destinationProjectId", integer_field(*project, "id")}, {"experimentId", options.id}};
  const auto moved =
      co_await session->client.send("POST", "/api/v1/experiments/" + std::to_string(options.id) + "/move", body);
  DET_CO_TRY(moved);
  in.world.out << "Moved experiment " << options.id << " to project \"" << options.project << "\"\n";
  co_return kDone;
}

void add_page(CLI::App* leaf, ListOptions& options) {
  leaf->add_option("--sort-by", options.sort_by, "sort workspaces by the given field")
      ->check(CLI::IsMember({"id", "name"}));
  leaf->add_option("--order-by", options.order_by, "order workspaces in either ascending or descending order")
      ->check(CLI::IsMember({"asc", "desc"}));
  leaf->add_option("--limit", options.limit, "Maximum items per page of results")->check(whole_number(1));
  leaf->add_option("--offset", options.offset, "Number of items to skip before starting page of results")
      ->check(whole_number(0));
  leaf->add_flag("--json", options.as_json, "print as JSON");
}

CLI::App* add_named(Program& program, CLI::App& group, const std::string& name, const std::string& help,
                    Command<ProjectOptions> command, std::shared_ptr<ProjectOptions> options) {
  CLI::App* leaf = program.add_leaf(group, name, {}, help);
  leaf->add_option("workspace_name", options->workspace, "name of the workspace")->required();
  leaf->add_option(name == "create" ? "name" : "project_name", options->project, "name of the project")->required();
  program.runs(leaf, options, command);
  return leaf;
}

}  // namespace

void add_project_list(Program& program, CLI::App& group, const std::string& name,
                      const std::vector<std::string>& aliases) {
  CLI::App* leaf = program.add_leaf(group, name, aliases, "list the projects associated with a workspace");
  auto options = std::make_shared<ListOptions>();
  leaf->add_option("workspace_name", options->workspace, "name of the workspace")->required();
  add_page(leaf, *options);
  program.runs(leaf, options, list);
}

void add_experiment_move_command(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "move", {}, "move experiment to another project");
  auto options = std::make_shared<MoveOptions>();
  add_id(leaf, "experiment_id", options->id, "experiment ID to move");
  leaf->add_option("workspace_name", options->workspace, "Name of destination workspace")->required();
  leaf->add_option("project_name", options->project, "Name of destination project")->required();
  program.runs(leaf, options, move);
}

void add_project_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "project", {"p"}, "manage projects");
  add_project_list(program, *group, "list", {"ls"});

  CLI::App* leaf = program.add_leaf(*group, "list-experiments", {}, "list the experiments associated with a project");
  auto l = std::make_shared<ListOptions>();
  leaf->add_option("workspace_name", l->workspace, "name of the workspace")->required();
  leaf->add_option("project_name", l->project, "name of the project")->required();
  leaf->add_flag("-a,--all", l->all, "show all experiments (including archived and other users')");
  add_page(leaf, *l);
  program.runs(leaf, l, list_experiments);

  auto c = std::make_shared<ProjectOptions>();
  leaf = add_named(program, *group, "create", "create project", create, c);
  leaf->add_option("--description", c->description, "description of the project");
  leaf->add_option("--key", c->key, "key of the project");
  leaf->add_flag("--json", c->as_json, "print as JSON");

  auto r = std::make_shared<ProjectOptions>();
  add_named(program, *group, "delete", "delete project", remove, r)
      ->add_flag("-y,--yes", r->yes, "automatically answer yes to prompts");
  add_named(program, *group, "archive", "archive project", set_archived<true>, std::make_shared<ProjectOptions>());
  add_named(program, *group, "unarchive", "unarchive project", set_archived<false>, std::make_shared<ProjectOptions>());

  auto d = std::make_shared<ProjectOptions>();
  leaf = add_named(program, *group, "describe", "describe project", describe, d);
  leaf->add_flag("-a,--all", d->all, "show all experiments (including archived and other users')");
  leaf->add_flag("--json", d->as_json, "print as JSON");

  auto e = std::make_shared<ProjectOptions>();
  leaf = add_named(program, *group, "edit", "edit project", edit, e);
  leaf->add_option("--new_name", e->new_name, "new name of the project");
  leaf->add_option("--description", e->description, "description of the project");
  leaf->add_option("--key", e->key, "key of the project");
  leaf->add_flag("--json", e->as_json, "print as JSON");
}

}  // namespace det::cli
