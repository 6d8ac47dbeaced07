// det config-policies.

#include "cli/input_file.h"
#include "cli/login.h"
#include "cli/not_empty.h"
#include "cli/program.h"
#include "cli/text.h"
#include "cli/workspace_lookup.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

struct PolicyOptions {
  std::string workload;  // as people say it: experiment or tasks
  std::string workspace;
  std::string file;
  bool as_json = false;
  bool as_yaml = false;  // the default
};

std::string type_of(const PolicyOptions& options) {
  return options.workload == "tasks" ? "NTSC" : "EXPERIMENT";
}

Task<Result<std::string>> path_of(MasterClient client, PolicyOptions options) {
  const std::string base = "/api/v1/config-policies/";
  if (options.workspace.empty()) co_return base + "global/" + type_of(options);
  const auto id = co_await workspace_id(client, options.workspace);
  DET_CO_TRY(id);
  co_return base + "workspaces/" + std::to_string(*id) + "/" + type_of(options);
}

Task<Result<int>> describe(Invocation in, PolicyOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto path = co_await path_of(session->client, options);
  DET_CO_TRY(path);
  const auto answer = co_await session->client.get(*path);
  DET_CO_TRY(answer);
  const Json policy = field(*answer, "configPolicies");
  in.world.out << (options.as_json ? pretty_json(policy) : yaml_text(policy)) << "\n";
  co_return kDone;
}

Task<Result<int>> set(Invocation in, PolicyOptions options) {
  // As it is: the master says what is wrong with it.
  const auto text = read_input_file("config_file", options.file);
  DET_CO_TRY(text);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto path = co_await path_of(session->client, options);
  DET_CO_TRY(path);
  const Json body = {{"workloadType", type_of(options)}, {"configPolicies", *text}};
  const auto answer = co_await session->client.send("PUT", *path, body);
  DET_CO_TRY(answer);
  in.world.out << (options.workspace.empty()
                       ? "Set global " + options.workload + " config policies:\n"
                       : "Set " + options.workload + " config policies for workspace " + options.workspace + ":\n")
               << yaml_text(field(*answer, "configPolicies")) << "\n";
  co_return kDone;
}

Task<Result<int>> remove(Invocation in, PolicyOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto path = co_await path_of(session->client, options);
  DET_CO_TRY(path);
  const auto gone = co_await session->client.send("DELETE", *path);
  DET_CO_TRY(gone);
  in.world.out << "Successfully deleted "
               << (options.workspace.empty() ? "global " + type_of(options) + " config policies"
                                             : type_of(options) + " config policies for workspace " + options.workspace)
               << "\n";
  co_return kDone;
}

}  // namespace

void add_config_policy_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "config-policies", {"cp"}, "manage config policies");
  const auto add = [&](const std::string& name, Command<PolicyOptions> command) {
    CLI::App* leaf = program.add_leaf(*group, name, {}, (name == "describe" ? "display" : name) + " config policies");
    auto o = std::make_shared<PolicyOptions>();
    leaf->add_option("workload_type", o->workload, "whose policies: experiment or tasks")
        ->required()
        ->check(CLI::IsMember({"experiment", "tasks"}));
    if (name == "set") leaf->add_option("config_file", o->file, "YAML or JSON file with the policies")->required();
    leaf->add_option("-w,--workspace-name", o->workspace, "those of this workspace; without it, those of the cluster")
        ->check(not_empty);
    if (name == "describe") {
      leaf->add_flag("--json", o->as_json, "print as JSON");
      leaf->add_flag("--yaml", o->as_yaml, "print as YAML, the default")->excludes("--json");
    }
    program.runs(leaf, o, command);
  };
  add("describe", describe);
  add("set", set);
  add("delete", remove);
}

}  // namespace det::cli
