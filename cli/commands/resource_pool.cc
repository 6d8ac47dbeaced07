// det resource-pool: which workspaces a pool is kept for.

#include <algorithm>

#include "cli/login.h"
#include "cli/place_tables.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct PoolOptions {
  std::string pool;
  std::vector<std::string> workspaces;
};

std::string path_of(const std::string& pool) {
  return "/api/v1/resource-pools/" + path_segment(pool) + "/workspace-bindings";
}

Task<Result<int>> change(Invocation in, PoolOptions options, std::string method, std::string done) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"resourcePoolName", options.pool}, {"workspaceNames", options.workspaces}};
  DET_CO_TRY(co_await session->client.send(std::move(method), path_of(options.pool), body));
  in.world.out << done << ' ' << python_text(options.workspaces) << "\n";
  co_return kDone;
}

Task<Result<int>> add(Invocation in, PoolOptions options) {
  const std::string done =
      "added bindings between the resource pool \"" + options.pool + "\" and the following workspaces:";
  co_return co_await change(in, options, "POST", done);
}

Task<Result<int>> remove(Invocation in, PoolOptions options) {
  const std::string done =
      "removed bindings between the resource pool \"" + options.pool + "\" and the following workspaces:";
  co_return co_await change(in, options, "DELETE", done);
}

Task<Result<int>> replace(Invocation in, PoolOptions options) {
  const std::string done =
      "replaced bindings of the resource pool \"" + options.pool + "\" with those to the following workspaces:";
  co_return co_await change(in, options, "PUT", done);
}

Task<Result<int>> list_workspaces(Invocation in, PoolOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto bound = co_await session->client.get(path_of(options.pool));
  DET_CO_TRY(bound);
  const Json ids = field(*bound, "workspaceIds");
  std::string names;
  if (!ids.empty()) {
    const auto workspaces = co_await session->client.list("/api/v1/workspaces", "workspaces", {}, 0, 0, false);
    DET_CO_TRY(workspaces);
    for (const Json& workspace : *workspaces) {
      if (std::ranges::find(ids, field(workspace, "id")) == ids.end()) continue;
      names += (names.empty() ? "" : ", ") + text_field(workspace, "name");
    }
  }
  in.world.out << render_table({.headers = {"resource pool", "workspaces"}, .rows = {{options.pool, names}}});
  co_return kDone;
}

}  // namespace

void add_resource_pool_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "resource-pool", {"rp"}, "manage resource pools");
  CLI::App* bindings = program.add_group(*group, "bindings", {}, "manage resource pool bindings");
  const auto add_leaf = [&](const std::string& name, const std::string& help, Command<PoolOptions> command) {
    CLI::App* leaf = program.add_leaf(*bindings, name, {}, help);
    auto o = std::make_shared<PoolOptions>();
    leaf->add_option("pool_name", o->pool, "name of the resource pool")->required();
    if (command != list_workspaces) {
      leaf->add_option("workspace_names", o->workspaces, "names of the workspaces")->required();
    }
    program.runs(leaf, o, command);
  };
  add_leaf("add", "add a resource-pool-to-workspace binding", add);
  add_leaf("remove", "remove a resource-pool-to-workspace binding", remove);
  add_leaf("replace", "replace all existing resource-pool-to-workspace bindings", replace);
  add_leaf("list-workspaces", "list all workspaces bound to the pool", list_workspaces);
}

}  // namespace det::cli
