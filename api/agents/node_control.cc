#include "api/agents/node_control.h"

#include "api/agents/agent_views.h"
#include "api/agents/node_list.h"
#include "api/agents/node_marks.h"
#include "api/experiments/experiment_object.h"
#include "base/json_get.h"
#include "scheduler/disabled_slots.h"

namespace det::api {
namespace {

constexpr int kGraceSeconds = 15;

// As the API server has it now.
Task<Result<wire::Json>> find_node(ApiServices& services, std::string name) {
  services.nodes.forget();
  const auto cluster = co_await services.nodes.read();
  DET_CO_TRY(cluster);
  if (!cluster->hidden.empty()) co_return fail(ErrorCode::kPermissionDenied, cluster->hidden);
  for (const auto& node : cluster->nodes) {
    if (get_string(get_object(node, "metadata"), "name") == name) co_return node;
  }
  co_return fail(ErrorCode::kNotFound, "agent '" + name + "' not found");
}

Task<Status> patch_node(ApiServices& services, std::string node, wire::Json patch) {
  k8s::PatchOptions options;
  options.write.field_manager = std::string(kFieldManager);
  const auto done = co_await services.kubernetes.patch(k8s::nodes(), {.ns = "", .name = node}, patch, options);
  services.nodes.forget();
  if (done) co_return Status();
  if (done.error().code == ErrorCode::kNotFound) co_return fail(ErrorCode::kNotFound, "agent '" + node + "' not found");
  if (done.error().code == ErrorCode::kPermissionDenied) {
    co_return fail(ErrorCode::kPermissionDenied,
                   "the operator's service account is missing the permission to patch nodes; grant it (the chart's "
                   "value agentControl: true), or use 'kubectl cordon " +
                       node + "'");
  }
  co_return std::unexpected(done.error());
}

// As if the node were lost: the trials go on elsewhere from their latest checkpoints, and no restart is counted. An
// empty `pod`: all tasks of the node.
Task<Status> end_tasks_on(ApiServices& services, std::string node, std::string pod) {
  const std::string& own = services.settings.controller_class;
  k8s::ListOptions options;
  options.label_selector = "det-operator.dev/managed-by=" + (own.empty() ? std::string("det-operator") : own);
  options.field_selector = "spec.nodeName=" + node;
  const auto pods = co_await services.kubernetes.list(k8s::pods(), options);
  if (!pods) co_return std::unexpected(with_context(pods.error(), "it is disabled, its tasks are not known"));
  for (const auto& each : pods->items) {
    const auto& meta = each["metadata"];
    if (!pod.empty() && meta.value("name", "") != pod) continue;
    k8s::DeleteOptions removal;
    removal.uid = meta.value("uid", "");
    removal.grace_period_seconds = kGraceSeconds;
    const k8s::ObjectKey key{.ns = meta.value("namespace", ""), .name = meta.value("name", "")};
    const Status removed = co_await services.kubernetes.remove(k8s::pods(), key, removal);
    if (!removed) co_return std::unexpected(with_context(removed.error(), "it is disabled, pod " + key.name));
  }
  services.nodes.forget();
  co_return Status();
}

// Slots are ours to count where our scheduler places the pods.
Status check_scheduler(const ApiServices& services) {
  const auto type = services.settings.master.scheduler.type;
  if (type == model::GangBackendKind::kOwn) return {};
  return fail(
      ErrorCode::kUnimplemented,
      "slots can be disabled where the operator's own scheduler places the pods (scheduler.type: own), not with " +
          std::string(to_string(type)) + "; disable the whole agent");
}

struct SlotFound {
  scheduler::DisabledSlot slot;  // what it would withhold
  std::string pod;               // that holds it; empty: none
};

Task<Result<SlotFound>> find_slot(ApiServices& services, wire::Json node, int slot) {
  const auto cluster = co_await services.nodes.read();
  DET_CO_TRY(cluster);
  const std::string name = get_string(get_object(node, "metadata"), "name");
  for (const wire::Agent& agent : agents_of(*cluster, {}, services.settings.master)) {
    if (agent.id != name) continue;
    if (static_cast<std::size_t>(slot) >= agent.slots.size()) {
      co_return fail(ErrorCode::kNotFound, "slot '" + std::to_string(slot) + "' of agent '" + name + "' not found");
    }
    const std::string& pod = agent.slots[static_cast<std::size_t>(slot)].container;
    co_return SlotFound{.slot = slot_of(node, services.settings.master), .pod = pod};
  }
  co_return fail(ErrorCode::kNotFound, "agent '" + name + "' not found");
}

}  // namespace

Task<Status> enable_node(ApiServices& services, std::string node) {
  const auto found = co_await find_node(services, node);
  DET_CO_TRY(found);
  DET_CO_TRY(co_await patch_node(services, node, enabling_patch(*found)));
  if (!is_cordoned_by_others(*found)) co_return Status();
  co_return fail(ErrorCode::kFailedPrecondition, "agent '" + node +
                                                     "' was cordoned by somebody else, not by 'det agent disable'; "
                                                     "'kubectl uncordon " +
                                                     node + "' takes that back");
}

Task<Status> disable_node(ApiServices& services, std::string node, bool drains) {
  const auto found = co_await find_node(services, node);
  DET_CO_TRY(found);
  const DisabledAs as = drains ? DisabledAs::kDraining : DisabledAs::kStopped;
  DET_CO_TRY(co_await patch_node(services, node, disabling_patch(*found, as)));
  if (drains) co_return Status();
  co_return co_await end_tasks_on(services, node, "");
}

Task<Status> enable_slot_of(ApiServices& services, std::string node, int slot) {
  const auto found = co_await find_node(services, node);
  DET_CO_TRY(found);
  // One that is no more (its node has fewer devices now) can be taken back, too.
  if (!scheduler::read_disabled_slots(*found).contains(slot)) {
    const auto known = co_await find_slot(services, *found, slot);
    DET_CO_TRY(known);
    co_return Status();
  }
  const wire::Json annotations = {{scheduler::disabled_slot_annotation(slot), nullptr}};
  co_return co_await patch_node(services, node, {{"metadata", {{"annotations", annotations}}}});
}

Task<Status> disable_slot_of(ApiServices& services, std::string node, int slot, bool drains) {
  DET_CO_TRY(check_scheduler(services));
  const auto found = co_await find_node(services, node);
  DET_CO_TRY(found);
  auto known = co_await find_slot(services, *found, slot);
  DET_CO_TRY(known);
  known->slot.drains = drains;
  const wire::Json annotations = {{scheduler::disabled_slot_annotation(slot), write_disabled_slot(known->slot)}};
  DET_CO_TRY(co_await patch_node(services, node, {{"metadata", {{"annotations", annotations}}}}));
  if (drains || known->pod.empty()) co_return Status();
  co_return co_await end_tasks_on(services, node, known->pod);
}

}  // namespace det::api
