#include "api/tasks/task_edit.h"

#include <chrono>
#include <optional>
#include <utility>

#include "api/experiments/experiment_object.h"
#include "api/priority_check.h"
#include "api/tasks/task_object.h"
#include "base/json_get.h"
#include "k8sclient/resource.h"
#include "model/cluster/config_policy.h"
#include "model/cluster/task_namespaces.h"

namespace det::api {
namespace {

constexpr std::chrono::milliseconds kLookPause{25};

// The reconciler may not have adopted it yet.
k8s::ObjectKey object_of(const store::TaskRow& row) {
  if (!row.name.empty()) return {.ns = row.ns, .name = row.name};
  const auto type = model::parse_task_word(row.type).value_or(model::TaskType::kCommand);
  return {.ns = row.ns, .name = task_object_name(type, row.number)};
}

// Nothing where there is none, or one of the same name that is another task.
Task<Result<std::optional<wire::Json>>> find_object(ApiServices& services, store::TaskRow row) {
  auto object = co_await services.kubernetes.get(k8s::tasks(), object_of(row));
  if (!object && object.error().code == ErrorCode::kNotFound) co_return std::nullopt;
  DET_CO_TRY(object);
  if (!row.uid.empty() && get_string(get_any(*object, "metadata"), "uid") != row.uid) co_return std::nullopt;
  co_return std::optional<wire::Json>(std::move(*object));
}

Task<Status> edit_spec(ApiServices& services, store::TaskRow row, wire::Json spec) {
  DET_CO_TRY(model::check_task_namespace(services.settings.master.task_namespaces, row.ns));
  k8s::PatchOptions options;
  options.write.field_manager = std::string(kFieldManager);
  wire::Json patch = {{"spec", std::move(spec)}};
  if (!row.uid.empty()) patch["metadata"]["uid"] = row.uid;
  const auto done = co_await services.kubernetes.patch(k8s::tasks(), object_of(row), std::move(patch), options);
  if (done || done.error().code == ErrorCode::kNotFound) co_return Status();
  // As an API server says that the uid is another one; but it says so of other things, too.
  const bool may_be_another =
      done.error().code == ErrorCode::kInvalidArgument || done.error().code == ErrorCode::kAborted;
  if (may_be_another) {
    const auto object = co_await find_object(services, std::move(row));
    if (object && !*object) co_return Status();
  }
  co_return std::unexpected(with_context(done.error(), "edit the Task object"));
}

Task<bool> is_stopped(ApiServices& services, std::string id) {
  const auto now = co_await services.stores.tasks.run_of(std::move(id));
  if (!now || !*now || model::is_terminal((**now).task.state)) co_return true;
  co_return (**now).allocation && (**now).allocation->verdict;
}

}  // namespace

Task<Status> begin_stop(ApiServices& services, store::TaskRow row) {
  if (model::is_terminal(row.state)) co_return Status();
  co_return co_await edit_spec(services, std::move(row), {{"stop", "Kill"}});
}

Task<void> wait_until_stopped(ApiServices& services, std::vector<std::string> ids) {
  const SteadyTime end = services.clock.steady_now() + services.settings.verb_patience;
  // One that still runs is waited for before the next one is asked for: a look costs a query.
  while (!ids.empty() && services.clock.steady_now() < end) {
    if (co_await is_stopped(services, ids.back())) {
      ids.pop_back();
    } else {
      co_await services.clock.sleep_for(kLookPause);
    }
  }
}

Task<Status> stop_task(ApiServices& services, store::TaskRow row) {
  std::vector<std::string> ids = {row.id};
  DET_CO_TRY(co_await begin_stop(services, std::move(row)));
  co_await wait_until_stopped(services, std::move(ids));
  co_return Status();
}

Task<Status> set_task_suspended(ApiServices& services, store::TaskRow row, bool is_suspended) {
  if (model::is_terminal(row.state)) co_return fail(ErrorCode::kFailedPrecondition, "task in terminal state");
  const auto object = co_await find_object(services, row);
  if (!object) co_return std::unexpected(with_context(object.error(), "look at the Task object"));
  if (object->has_value() && get_bool(get_any(**object, "spec"), "suspend") == is_suspended) co_return Status();
  const auto keeper = object->has_value() ? owner_of_spec_field(**object, "suspend") : std::nullopt;
  if (keeper) {
    co_return fail(ErrorCode::kAborted,
                   "spec.suspend of Task " + to_string(object_of(row)) + " is kept by '" + *keeper +
                       "' (for example from Git): change it there, or take the field out there first",
                   "spec.suspend");
  }
  co_return co_await edit_spec(services, std::move(row), {{"suspend", is_suspended}});
}

Task<Result<bool>> task_is_suspended(ApiServices& services, store::TaskRow row) {
  const auto object = co_await find_object(services, std::move(row));
  if (!object) co_return std::unexpected(with_context(object.error(), "look at the Task object"));
  co_return object->has_value() && get_bool(get_any(**object, "spec"), "suspend");
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
