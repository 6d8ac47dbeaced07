// det workspace.

#include <algorithm>

#include "base/yaml.h"
#include "cli/input_file.h"
#include "cli/login.h"
#include "cli/namespace_options.h"
#include "cli/output_options.h"
#include "cli/place_deletion.h"
#include "cli/place_tables.h"
#include "cli/program.h"
#include "cli/workspace_lookup.h"

namespace det::cli {
namespace {

struct NameOptions {
  std::string name;
  bool as_json = false;
  bool yes = false;
};

struct ListOptions {
  std::string sort_by = "id";
  std::string order_by = "asc";
  std::int64_t limit = 200;
  std::int64_t offset = 0;
  bool as_json = false;
};

struct MemberOptions {
  std::string name;
  OutputOptions output;
  bool as_csv = false;
};

struct EditOptions {
  std::string name;
  std::optional<std::string> new_name;
  std::optional<std::int64_t> uid;
  std::optional<std::int64_t> gid;
  std::optional<std::string> user;
  std::optional<std::string> group;
  std::optional<std::string> storage;
  std::optional<std::string> storage_file;
  std::optional<std::string> compute_pool;
  std::optional<std::string> aux_pool;
  NamespaceOptions binding;  // only of a new one
  std::optional<std::int64_t> quota;
  bool as_json = false;
};

std::string path_of(const Json& workspace) {
  return "/api/v1/workspaces/" + std::to_string(integer_field(workspace, "id"));
}

int show(World& world, const Json& workspace, bool as_json) {
  world.out << (as_json ? pretty_json(workspace) + "\n"
                        : render_table(workspace_table(Json::array({workspace}), true)));
  return kDone;
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Query query = {{"orderBy", options.order_by == "desc" ? "ORDER_BY_DESC" : "ORDER_BY_ASC"},
                       {"sortBy", options.sort_by == "name" ? "SORT_BY_NAME" : "SORT_BY_ID"}};
  const auto found = co_await session->client.list("/api/v1/workspaces", "workspaces", query, options.limit,
                                                   options.offset, options.offset != 0);
  DET_CO_TRY(found);
  in.world.out << (options.as_json ? pretty_json(*found) + "\n" : render_table(workspace_table(*found, false)));
  co_return kDone;
}

Task<Result<int>> describe(Invocation in, NameOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspace = co_await workspace_named(session->client, options.name);
  DET_CO_TRY(workspace);
  co_return show(in.world, *workspace, options.as_json);
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json account_of(const EditOptions& options) {
  if (!options.uid && !options.gid && !options.user && !options.group) return nullptr;
  return {{"agentUid", or_null(options.uid)},
          {"agentGid", or_null(options.gid)},
          {"agentUser", or_null(options.user)},
          {"agentGroup", or_null(options.group)}};
}

Result<Json> storage_of(const EditOptions& options) {
  if (options.storage && options.storage_file) {
    return fail(ErrorCode::kInvalidArgument,
                "can only provide --checkpoint_storage_config or --checkpoint_storage_config_file");
  }
  if (options.storage) {
    Json storage = Json::parse(*options.storage, nullptr, false);
    if (!storage.is_discarded()) return storage;
    return fail(ErrorCode::kInvalidArgument, "--checkpoint-storage-config: it is no JSON");
  }
  if (!options.storage_file) return Json();
  const auto text = read_input_file("--checkpoint-storage-config-file", *options.storage_file);
  DET_TRY(text);
  auto storage = parse_yaml(*text);
  if (!storage) return std::unexpected(with_context(storage.error(), *options.storage_file));
  return storage;
}

Task<Result<int>> create(Invocation in, EditOptions options) {
  const auto storage = storage_of(options);
  DET_CO_TRY(storage);
  const bool is_bound = options.binding.is_given();
  if (!options.binding.cluster.empty() && !is_bound) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "must provide --namespace NAMESPACE or --auto-create-namespace, or remove --cluster-name "
                   "CLUSTER_NAME and specify --auto-create-namespace-all-clusters");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Json body = {{"name", options.name},
               {"agentUserGroup", account_of(options)},
               {"checkpointStorageConfig", *storage},
               {"defaultComputePool", or_null(options.compute_pool)},
               {"defaultAuxPool", or_null(options.aux_pool)}};
  if (is_bound) {
    body["clusterNamespaceMeta"] = namespace_meta(options.binding);
    body["clusterNamespaceMeta"][options.binding.cluster]["resourceQuota"] = or_null(options.quota);
  }
  if (options.quota) body["clusterQuotaPairs"] = {{options.binding.cluster, *options.quota}};
  const auto made = co_await session->client.send("POST", "/api/v1/workspaces", std::move(body));
  DET_CO_TRY(made);
  show(in.world, field(*made, "workspace"), options.as_json);
  const Json bindings = field(*made, "namespaceBindings");
  // What a program reads is nothing but JSON.
  std::ostream& said = options.as_json ? in.world.err : in.world.out;
  for (const Json& binding : bindings) {
    said << "Workspace " << options.name << " is bound to namespace " << text_field(binding, "namespace") << "\n";
  }
  if (!is_bound || !bindings.empty()) co_return kDone;
  said << "Failed to set workspace-namespace binding.\n";
  co_return kFailed;
}

Task<Result<int>> edit(Invocation in, EditOptions options) {
  const auto storage = storage_of(options);
  DET_CO_TRY(storage);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspace = co_await workspace_named(session->client, options.name);
  DET_CO_TRY(workspace);
  const Json body = {{"name", or_null(options.new_name)},
                     {"agentUserGroup", account_of(options)},
                     {"checkpointStorageConfig", *storage},
                     {"defaultComputeResourcePool", or_null(options.compute_pool)},
                     {"defaultAuxResourcePool", or_null(options.aux_pool)}};
  const auto changed = co_await session->client.send("PATCH", path_of(*workspace), body);
  DET_CO_TRY(changed);
  co_return show(in.world, field(*changed, "workspace"), options.as_json);
}

template <bool kArchived>
Task<Result<int>> set_archived(Invocation in, NameOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspace = co_await workspace_named(session->client, options.name);
  DET_CO_TRY(workspace);
  const auto done =
      co_await session->client.send("POST", path_of(*workspace) + (kArchived ? "/archive" : "/unarchive"));
  DET_CO_TRY(done);
  in.world.out << "Successfully " << (kArchived ? "archived" : "un-archived") << " workspace " << options.name << ".\n";
  co_return kDone;
}

Task<Result<int>> remove(Invocation in, NameOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspace = co_await workspace_named(session->client, options.name);
  DET_CO_TRY(workspace);
  std::string question;
  if (!options.yes) {
    question = "Deleting workspace \"" + options.name +
               "\" will result \n"
               "in the unrecoverable deletion of all associated projects, experiments,\n"
               "Notebooks, shells, commands, Tensorboards, and Templates.\n"
               "For a recoverable alternative, see the 'archive' command. Do you still \n"
               "wish to proceed?";
  }
  co_return co_await delete_place(in, session->client,
                                  {.kind = "workspace",
                                   .name = options.name,
                                   .path = path_of(*workspace),
                                   .question = std::move(question),
                                   .contents = "project",
                                   .count = "numProjects"});
}

Task<Result<int>> list_pools(Invocation in, NameOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspace = co_await workspace_named(session->client, options.name);
  DET_CO_TRY(workspace);
  const auto answer = co_await session->client.get(path_of(*workspace) + "/available-resource-pools");
  DET_CO_TRY(answer);
  std::string pools;
  for (const Json& pool : field(*answer, "resourcePools")) {
    pools += (pools.empty() ? "" : ", ") + (pool.is_string() ? pool.get<std::string>() : std::string());
  }
  in.world.out << render_table({.headers = {"Workspace", "Available Resource Pools"}, .rows = {{options.name, pools}}});
  co_return kDone;
}

// One row per role of a group or user, groups first within each role.
Table member_table(const Json& answer) {
  Table table{.headers = {"User/Group Name", "User/Group", "Role Name"}, .rows = {}};
  const auto name_of = [](const Json& list, const char* id_key, const Json& id, const char* name_key) {
    for (const Json& item : list) {
      if (field(item, id_key) == id) return field(item, name_key);
    }
    return Json();
  };
  const Json groups = field(answer, "groups");
  const Json users = field(answer, "usersAssignedDirectly");
  for (const Json& assignment : field(answer, "assignments")) {
    const Json role = field(assignment, "role");
    if (role.is_null()) continue;
    for (const Json& given : field(assignment, "groupRoleAssignments")) {
      table.rows.push_back({name_of(groups, "groupId", field(given, "groupId"), "name"), "G", field(role, "name")});
    }
    for (const Json& given : field(assignment, "userRoleAssignments")) {
      table.rows.push_back({name_of(users, "id", field(given, "userId"), "username"), "U", field(role, "name")});
    }
  }
  return table;
}

Task<Result<int>> list_members(Invocation in, MemberOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspace = co_await workspace_named(session->client, options.name);
  DET_CO_TRY(workspace);
  const auto answer =
      co_await session->client.get("/api/v1/roles/workspace/" + std::to_string(integer_field(*workspace, "id")));
  DET_CO_TRY(answer);
  if (options.output.is_for_programs()) {
    in.world.out << output_text(*answer, options.output);
    co_return kDone;
  }
  print_table(in.world, member_table(*answer), options.as_csv);
  co_return kDone;
}

CLI::App* add_named(Program& program, CLI::App& group, const std::string& name, const std::string& help,
                    Command<NameOptions> command, std::shared_ptr<NameOptions> options) {
  CLI::App* leaf = program.add_leaf(group, name, {}, help);
  leaf->add_option("workspace_name", options->name, "name of the workspace")->required();
  program.runs(leaf, options, command);
  return leaf;
}

void add_settings(CLI::App* leaf, EditOptions& options) {
  leaf->add_option("--agent-uid", options.uid, "UID on the agent to run tasks as");
  leaf->add_option("--agent-user", options.user, "user on the agent to run tasks as");
  leaf->add_option("--agent-gid", options.gid, "GID on agent to run tasks as");
  leaf->add_option("--agent-group", options.group, "group on the agent to run tasks as");
  leaf->add_option("--checkpoint-storage-config", options.storage,
                   "Storage config (JSON-formatted string). To remove storage config use '{}'");
  leaf->add_option("--checkpoint-storage-config-file", options.storage_file,
                   "Storage config (path to YAML or JSON formatted file)");
  leaf->add_option("--default-compute-pool", options.compute_pool,
                   "name of the pool to set as the default compute pool");
  leaf->add_option("--default-aux-pool", options.aux_pool, "name of the pool to set as the default auxiliary pool");
  leaf->add_flag("--json", options.as_json, "print as JSON");
}

}  // namespace

void add_workspace_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "workspace", {"w"}, "manage workspaces");
  program.make_default<ListOptions>(group, "list all workspaces", list);

  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, "list all workspaces");
  auto l = std::make_shared<ListOptions>();
  leaf->add_option("--sort-by", l->sort_by, "sort workspaces by the given field")->check(CLI::IsMember({"id", "name"}));
  leaf->add_option("--order-by", l->order_by, "order workspaces in either ascending or descending order")
      ->check(CLI::IsMember({"asc", "desc"}));
  leaf->add_option("--limit", l->limit, "Maximum items per page of results")->check(whole_number(1));
  leaf->add_option("--offset", l->offset, "Number of items to skip before starting page of results")
      ->check(whole_number(0));
  leaf->add_flag("--json", l->as_json, "print as JSON");
  program.runs(leaf, l, list);

  add_project_list(program, *group, "list-projects", {});
  add_named(program, *group, "list-pools", "list the resource pools available to a workspace", list_pools,
            std::make_shared<NameOptions>());

  leaf = program.add_leaf(*group, "list-members", {}, "list users/user-groups members of a workspace and their roles");
  auto m = std::make_shared<MemberOptions>();
  leaf->add_option("workspace_name", m->name, "name of the workspace")->required();
  const OutputFlags flags = add_output(leaf, m->output);
  leaf->add_flag("--csv", m->as_csv, "print as CSV")->excludes(flags.json)->excludes(flags.yaml);
  program.runs(leaf, m, list_members);

  leaf = program.add_leaf(*group, "create", {}, "create workspace");
  auto c = std::make_shared<EditOptions>();
  leaf->add_option("name", c->name, "unique name of the workspace")->required();
  add_settings(leaf, *c);
  add_namespace_options(leaf, c->binding, "-n,--namespace");
  leaf->add_option("--resource-quota", c->quota, "how many GPUs may be requested in the workspace's namespace")
      ->check(whole_number(0));
  program.runs(leaf, c, create);

  auto r = std::make_shared<NameOptions>();
  add_named(program, *group, "delete", "delete workspace", remove, r)
      ->add_flag("-y,--yes", r->yes, "automatically answer yes to prompts");
  auto d = std::make_shared<NameOptions>();
  add_named(program, *group, "describe", "describe workspace", describe, d)
      ->add_flag("--json", d->as_json, "print as JSON");

  leaf = program.add_leaf(*group, "edit", {}, "edit workspace");
  auto e = std::make_shared<EditOptions>();
  leaf->add_option("workspace_name", e->name, "current name of the workspace")->required();
  leaf->add_option("--name", e->new_name, "new name of the workspace");
  add_settings(leaf, *e);
  program.runs(leaf, e, edit);

  add_named(program, *group, "archive", "archive workspace", set_archived<true>, std::make_shared<NameOptions>());
  add_named(program, *group, "unarchive", "unarchive workspace", set_archived<false>, std::make_shared<NameOptions>());
  add_workspace_namespace_commands(program, group);
}

}  // namespace det::cli
