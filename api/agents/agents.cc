// Nodes, as agents, and resource pools.

#include "api/agents/agent_views.h"
#include "api/agents/node_list.h"
#include "api/agents/routes.h"
#include "api/arguments.h"
#include "api/experiments/experiment_object.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr int kGraceSeconds = 15;

struct Found {
  std::vector<wire::Agent> agents;
  std::string hidden;  // see ClusterNodes
};

Task<Result<Found>> find_agents(ApiServices& services) {
  const auto cluster = co_await services.nodes.read();
  DET_CO_TRY(cluster);
  const auto open = co_await services.stores.jobs.open_allocations();
  DET_CO_TRY(open);
  co_return Found{.agents = agents_of(*cluster, *open, services.settings.master), .hidden = cluster->hidden};
}

Task<Result<wire::Json>> agent_json(ApiServices& services, std::string id) {
  const auto found = co_await find_agents(services);
  DET_CO_TRY(found);
  for (const wire::Agent& agent : found->agents) {
    if (agent.id == id) co_return wire::to_json(agent);
  }
  co_return fail(ErrorCode::kNotFound, "agent '" + id + "' not found");
}

// Cordons the node, as kubectl does, or takes that back.
Task<Status> set_unschedulable(ApiServices& services, Call call, std::string node, bool unschedulable) {
  if (!call.caller.user.admin) {
    co_return fail(ErrorCode::kPermissionDenied, "only admins can enable and disable agents");
  }
  k8s::PatchOptions options;
  options.write.field_manager = std::string(kFieldManager);
  const wire::Json patch = {{"spec", {{"unschedulable", unschedulable ? wire::Json(true) : wire::Json()}}}};
  const auto done = co_await services.kubernetes.patch(k8s::nodes(), {.ns = "", .name = node}, patch, options);
  if (done) {
    services.nodes.forget();
    co_return Status();
  }
  if (done.error().code == ErrorCode::kNotFound) co_return fail(ErrorCode::kNotFound, "agent '" + node + "' not found");
  if (done.error().code == ErrorCode::kPermissionDenied) {
    co_return fail(ErrorCode::kPermissionDenied,
                   "the operator's service account is missing the permission to patch nodes; grant it, or use "
                   "'kubectl cordon " +
                       node + "'");
  }
  co_return std::unexpected(done.error());
}

// As if the node were lost: the trials go on elsewhere from their latest checkpoints, and no restart is counted.
Task<Status> end_tasks_on(ApiServices& services, std::string node) {
  const std::string& own = services.settings.controller_class;
  k8s::ListOptions options;
  options.label_selector = "det-operator.dev/managed-by=" + (own.empty() ? std::string("det-operator") : own);
  options.field_selector = "spec.nodeName=" + node;
  const auto pods = co_await services.kubernetes.list(k8s::pods(), options);
  if (!pods) co_return std::unexpected(with_context(pods.error(), "the agent is disabled, its tasks are not known"));
  for (const auto& pod : pods->items) {
    const auto& meta = pod["metadata"];
    k8s::DeleteOptions removal;
    removal.uid = meta.value("uid", "");
    removal.grace_period_seconds = kGraceSeconds;
    const k8s::ObjectKey key{.ns = meta.value("namespace", ""), .name = meta.value("name", "")};
    const Status removed = co_await services.kubernetes.remove(k8s::pods(), key, removal);
    if (!removed) co_return std::unexpected(with_context(removed.error(), "the agent is disabled, pod " + key.name));
  }
  services.nodes.forget();
  co_return Status();
}

}  // namespace

Task<Result<http::Response>> list_agents(ApiServices& services, Call call) {
  static_cast<void>(call);
  const auto found = co_await find_agents(services);
  DET_CO_TRY(found);
  wire::Json list = wire::Json::array();
  for (const wire::Agent& agent : found->agents) list.push_back(wire::to_json(agent));
  wire::Json answer = {{"agents", list}, {"pagination", wire::whole_list(list.size())}};
  if (!found->hidden.empty()) answer["notice"] = found->hidden;
  co_return ok(answer);
}

Task<Result<http::Response>> get_agent(ApiServices& services, Call call) {
  const auto agent = co_await agent_json(services, path_text(call.request, "id"));
  DET_CO_TRY(agent);
  co_return ok({{"agent", *agent}});
}

Task<Result<http::Response>> enable_agent(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  DET_CO_TRY(co_await set_unschedulable(services, call, id, false));
  const auto agent = co_await agent_json(services, id);
  DET_CO_TRY(agent);
  co_return ok({{"agent", *agent}});
}

Task<Result<http::Response>> disable_agent(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const bool drain = fields.boolean("drain").value_or(false);
  DET_CO_TRY(fields.status());
  const std::string id = path_text(call.request, "id");
  DET_CO_TRY(co_await set_unschedulable(services, call, id, true));
  if (!drain) {
    DET_CO_TRY(co_await end_tasks_on(services, id));
  }
  const auto agent = co_await agent_json(services, id);
  DET_CO_TRY(agent);
  co_return ok({{"agent", *agent}});
}

Task<Result<http::Response>> list_resource_pools(ApiServices& services, Call call) {
  static_cast<void>(call);
  const auto found = co_await find_agents(services);
  DET_CO_TRY(found);
  const auto queue = co_await services.stores.jobs.queue();
  DET_CO_TRY(queue);
  wire::Json list = wire::Json::array();
  for (const auto& pool : pools_of(found->agents, *queue, services.settings.master))
    list.push_back(wire::to_json(pool));
  co_return ok({{"resourcePools", list}, {"pagination", wire::whole_list(list.size())}});
}

}  // namespace det::api::routes
