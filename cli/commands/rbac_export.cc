// det rbac export: what roles of a workspace would be in Kubernetes.

#include <map>
#include <set>

#include "cli/login.h"
#include "cli/program.h"
#include "cli/role_lookup.h"
#include "cli/thing_names.h"
#include "cli/workspace_lookup.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

struct ExportOptions {
  std::string workspace;
  std::string ns;
};

// The roles of every Kubernetes cluster, into which the chart puts Experiments and Tasks. Nothing for roles that are
// about nothing there.
std::string cluster_role(const std::string& role) {
  static const std::map<std::string, std::string> kRoles = {
      {"ClusterAdmin", "admin"},    {"WorkspaceAdmin", "admin"},         {"Editor", "edit"}, {"GenAIUser", "edit"},
      {"EditorRestricted", "edit"}, {"EditorProjectRestricted", "edit"}, {"Viewer", "view"}};
  const auto found = kRoles.find(role);
  return found == kRoles.end() ? std::string() : found->second;
}

Json binding(const std::string& role, const std::string& ns, const Json& subjects) {
  return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
          {"kind", "RoleBinding"},
          {"metadata", {{"name", "det-" + role}, {"namespace", ns}}},
          {"roleRef", {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}}},
          {"subjects", subjects}};
}

Json subject(const char* kind, const Json& name) {
  return {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", kind}, {"name", name}};
}

Task<Result<int>> export_bindings(Invocation in, ExportOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(co_await check_roles_are_shown(session->client, "RBAC commands"));
  const auto workspace = co_await workspace_named(session->client, options.workspace);
  DET_CO_TRY(workspace);
  const Json id = field(*workspace, "id");
  Json body = {{"roleIds", Json::array()}};  // all
  const auto answer = co_await session->client.send("POST", "/api/v1/roles/search/by-ids", std::move(body));
  DET_CO_TRY(answer);
  ThingNames names(session->client);
  std::map<std::string, std::set<Json>> subjects;  // by role of Kubernetes
  for (const Json& role : field(*answer, "roles")) {
    const std::string there = cluster_role(text_field(field(role, "role"), "name"));
    if (there.empty()) continue;
    for (const char* key : {"userRoleAssignments", "groupRoleAssignments"}) {
      for (const Json& held : field(role, key)) {
        const Json scope = field(field(held, "roleAssignment"), "scopeWorkspaceId");
        if (!scope.is_null() && scope != id) continue;
        const bool is_user = held.contains("userId");
        const auto name =
            is_user ? co_await names.user(field(held, "userId")) : co_await names.group(field(held, "groupId"));
        DET_CO_TRY(name);
        subjects[there].insert(subject(is_user ? "User" : "Group", *name));
      }
    }
  }
  const char* between = "";
  for (const auto& [role, all] : subjects) {
    in.world.out << between << yaml_text(binding(role, options.ns, all)) << "\n";
    between = "---\n";
  }
  co_return kDone;
}

}  // namespace

void add_rbac_export(Program& program, CLI::App* group) {
  CLI::App* leaf =
      program.add_leaf(*group, "export", {}, "print RoleBindings of Kubernetes that fit a workspace's roles");
  auto options = std::make_shared<ExportOptions>();
  leaf->add_option("workspace_name", options->workspace, "name of the workspace")->required();
  leaf->add_option("-n,--namespace", options->ns, "where the RoleBindings are to be")->required();
  program.runs(leaf, options, export_bindings);
}

}  // namespace det::cli
