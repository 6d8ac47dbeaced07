#include "api/tasks/task_edit.h"

#include <chrono>
#include <utility>

#include "api/experiments/experiment_object.h"
#include "api/priority_check.h"
#include "api/tasks/task_object.h"
#include "base/json_get.h"
#include "k8sclient/resource.h"
#include "model/cluster/config_policy.h"

namespace det::api {
namespace {

constexpr int kMostLooks = 40;
constexpr std::chrono::milliseconds kLookPause{25};

// The reconciler may not have adopted it yet.
k8s::ObjectKey object_of(const store::TaskRow& row) {
  if (!row.name.empty()) return {.ns = row.ns, .name = row.name};
  const auto type = model::parse_task_word(row.type).value_or(model::TaskType::kCommand);
  return {.ns = row.ns, .name = task_object_name(type, row.number)};
}

Task<Status> edit_spec(ApiServices& services, store::TaskRow row, wire::Json spec) {
  k8s::PatchOptions options;
  options.write.field_manager = std::string(kFieldManager);
  const auto done =
      co_await services.kubernetes.patch(k8s::tasks(), object_of(row), {{"spec", std::move(spec)}}, options);
  if (done || done.error().code == ErrorCode::kNotFound) co_return Status();
  co_return std::unexpected(with_context(done.error(), "edit the Task object"));
}

}  // namespace

Task<Status> stop_task(ApiServices& services, store::TaskRow row) {
  if (model::is_terminal(row.state)) co_return Status();
  DET_CO_TRY(co_await edit_spec(services, row, {{"stop", "Kill"}}));
  for (int looks = 0; looks < kMostLooks; ++looks) {
    const auto now = co_await services.stores.tasks.run_of(row.id);
    if (!now || !*now || model::is_terminal((**now).task.state)) co_return Status();
    if ((**now).allocation && (**now).allocation->verdict) co_return Status();
    co_await services.clock.sleep_for(kLookPause);
  }
  co_return Status();
}

Task<Status> set_task_suspended(ApiServices& services, store::TaskRow row, bool is_suspended) {
  if (model::is_terminal(row.state)) co_return fail(ErrorCode::kFailedPrecondition, "task in terminal state");
  co_return co_await edit_spec(services, std::move(row), {{"suspend", is_suspended}});
}

Task<Result<bool>> task_is_suspended(ApiServices& services, store::TaskRow row) {
  const auto object = co_await services.kubernetes.get(k8s::tasks(), object_of(row));
  if (object) co_return get_bool(get_any(*object, "spec"), "suspend");
  if (object.error().code == ErrorCode::kNotFound) co_return false;
  co_return std::unexpected(with_context(object.error(), "look at the Task object"));
}

Task<Status> set_task_priority(ApiServices& services, store::TaskRow row, std::int64_t priority) {
  if (priority < 1 || priority > 99) {
    co_return fail(ErrorCode::kInvalidArgument, "priority " + std::to_string(priority) + " is not between 1 and 99",
                   "priority");
  }
  if (model::is_terminal(row.state)) co_return fail(ErrorCode::kFailedPrecondition, "task in terminal state");
  DET_CO_TRY(check_has_priorities(services.settings.master));
  auto policies = co_await services.stores.config_policies.of_workspace(row.workspace, model::WorkloadType::kNtsc);
  DET_CO_TRY(policies);
  DET_CO_TRY(model::check_setting(*policies, "priority", wire::Json(priority)));
  co_return co_await services.stores.tasks.set_priority(row.id, static_cast<int>(priority));
}

}  // namespace det::api
