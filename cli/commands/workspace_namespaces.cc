// det workspace bindings and resource-quota: namespaces of workspaces, and what may be used in them.

#include "cli/login.h"
#include "cli/namespace_options.h"
#include "cli/program.h"
#include "cli/workspace_lookup.h"

namespace det::cli {
namespace {

struct BindingOptions {
  std::string workspace;
  NamespaceOptions wanted;
};

struct QuotaOptions {
  std::string workspace;
  std::int64_t quota = 0;
  std::string cluster;
};

struct Place {
  MasterClient client;
  std::int64_t id = 0;
  std::string path;
};

Task<Result<Place>> find(const Invocation& in, std::string name) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto workspace = co_await workspace_named(session->client, std::move(name));
  DET_CO_TRY(workspace);
  const std::int64_t id = integer_field(*workspace, "id");
  co_return Place{.client = std::move(session->client), .id = id, .path = "/api/v1/workspaces/" + std::to_string(id)};
}

Task<Result<int>> list(Invocation in, BindingOptions options) {
  auto place = co_await find(in, options.workspace);
  DET_CO_TRY(place);
  const auto answer = co_await place->client.get(place->path + "/list-namespace-bindings");
  DET_CO_TRY(answer);
  const Json bindings = field(*answer, "namespaceBindings");
  if (bindings.empty()) {
    in.world.out << "No workspace-namespace bindings for workspace " << options.workspace << "\n";
    co_return kDone;
  }
  Table table{.headers = {"Cluster", "Namespace"}, .rows = {}};
  for (const auto& [cluster, binding] : bindings.items()) table.rows.push_back({cluster, field(binding, "namespace")});
  in.world.out << "workspace-namespace bindings for workspace " << options.workspace << "\n" << render_table(table);
  co_return kDone;
}

Task<Result<int>> set(Invocation in, BindingOptions options) {
  if (!options.wanted.is_given()) {
    const std::string without = options.wanted.cluster.empty() ? "" : "remove --cluster-name CLUSTER_NAME and ";
    co_return fail(ErrorCode::kInvalidArgument, "must provide --namespace NAMESPACE or --auto-create-namespace, or " +
                                                    without + "specify --auto-create-namespace-all-clusters");
  }
  auto place = co_await find(in, options.workspace);
  DET_CO_TRY(place);
  const Json body = {{"workspaceId", place->id}, {"clusterNamespaceMeta", namespace_meta(options.wanted)}};
  const auto answer = co_await place->client.send("POST", place->path + "/namespace-bindings", body);
  DET_CO_TRY(answer);
  const Json bindings = field(*answer, "namespaceBindings");
  for (const auto& [cluster, binding] : bindings.items()) {
    in.world.out << "Workspace " << options.workspace << " is bound to namespace " << text_field(binding, "namespace")
                 << ' ' << (cluster.empty() ? "" : "for cluster " + cluster + ".") << "\n";
  }
  co_return kDone;
}

Task<Result<int>> remove(Invocation in, BindingOptions options) {
  auto place = co_await find(in, options.workspace);
  DET_CO_TRY(place);
  const Query query = {{"clusterNames", options.wanted.cluster}};
  DET_CO_TRY(co_await place->client.send("DELETE", place->path + "/namespace-bindings" + query_text(query)));
  in.world.out << "Successfully deleted binding.\n";
  co_return kDone;
}

Task<Result<int>> set_quota(Invocation in, QuotaOptions options) {
  auto place = co_await find(in, options.workspace);
  DET_CO_TRY(place);
  const Json body = {{"id", place->id}, {"clusterQuotaPairs", {{options.cluster, options.quota}}}};
  DET_CO_TRY(co_await place->client.send("POST", place->path + "/set-resource-quota", body));
  in.world.out << "Resource quota " << options.quota << " is set on workspace " << options.workspace << ' '
               << (options.cluster.empty() ? "" : "for cluster " + options.cluster) << "\n";
  co_return kDone;
}

}  // namespace

void add_workspace_namespace_commands(Program& program, CLI::App* workspace) {
  CLI::App* bindings = program.add_group(*workspace, "bindings", {}, "manage workspace bindings");
  const auto add = [&](const std::string& name, const std::vector<std::string>& aliases, const std::string& help,
                       Command<BindingOptions> command) {
    CLI::App* leaf = program.add_leaf(*bindings, name, aliases, help);
    auto o = std::make_shared<BindingOptions>();
    leaf->add_option("workspace_name", o->workspace, "name of the workspace")->required();
    program.runs(leaf, o, command);
    return std::pair(leaf, o);
  };
  const auto [setting, s] = add("set", {}, "set workspace-namespace binding", set);
  add_namespace_options(setting, s->wanted, "--namespace");
  const auto [removing, r] = add("delete", {}, "delete workspace-namespace binding", remove);
  removing->add_option("--cluster-name", r->wanted.cluster, "cluster the workspace-namespace binding belongs to");
  add("list", {"ls"}, "list workspace-namespace bindings", list);

  CLI::App* quotas = program.add_group(*workspace, "resource-quota", {}, "manage resource quotas");
  CLI::App* leaf = program.add_leaf(*quotas, "set", {}, "set resource quota");
  auto q = std::make_shared<QuotaOptions>();
  leaf->add_option("workspace_name", q->workspace, "name of the workspace")->required();
  leaf->add_option("resource_quota", q->quota, "how many GPUs may be requested in the workspace's namespace")
      ->required()
      ->check(whole_number(0));
  leaf->add_option("--cluster-name", q->cluster, "cluster that the quota is for");
  program.runs(leaf, q, set_quota);
}

}  // namespace det::cli
