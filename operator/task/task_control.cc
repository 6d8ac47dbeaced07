#include "operator/task/task_control.h"

#include <unordered_set>
#include <utility>
#include <vector>

#include "base/race.h"
#include "operator/gang/run_log.h"
#include "operator/object_changes.h"

namespace det::op {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{50};
constexpr std::chrono::seconds kSweepInterval{60};
// Long enough for REST to make an object for its row.
constexpr std::chrono::minutes kOrphanAge{2};
constexpr std::chrono::seconds kRetry{5};
constexpr std::chrono::seconds kSyncTimeout{600};
constexpr const char* kById = "id";
constexpr const char* kMissing =
    "Tasks cannot be read: notebooks, shells, commands and TensorBoards are not run. Apply crds/tasks.yaml, and a Role "
    "with `tasks` and `tasks/status` of det-operator.dev";

k8s::ReflectorOptions watch_of_tasks(const std::string& ns) {
  k8s::ReflectorOptions options;
  options.resource = k8s::tasks();
  options.ns = ns;
  return options;
}

}  // namespace

TaskControl::TaskControl(asio::any_io_executor executor, OperatorServices& services, GangBackend& backend,
                         RunObserver& observer, RunPods& runs, ReconcileGuard& guard, TaskControlOptions options)
    : services_(services),
      options_(std::move(options)),
      tasks_(services.client, services.clock, executor, watch_of_tasks(options_.ns), keep_task),
      reconciler_(services, tasks_, backend, observer, runs, options_.default_owner, options_.is_ours),
      guard_(guard),
      controller_(
          "task", executor, services.clock,
          [this](std::string key, Logger log) { return reconcile(std::move(key), std::move(log)); }, options_.workers,
          kBetweenLooks),
      sweep_(executor) {
  // Those of another class have ids of another database.
  tasks_.add_index(kById, [this](const KeptTask& kept) {
    return options_.is_ours(kept.head) ? std::vector<std::string>{kept.id} : std::vector<std::string>();
  });
  tasks_.add_handler([this](const k8s::ObjectKey& key, const KeptTask* before, const KeptTask* now) {
    if (now == nullptr) sweep_.notify_all();
    const ObservedTask& any = (now != nullptr ? now : before)->head;
    if (!options_.is_ours(any)) return;
    const bool only_status = before != nullptr && now != nullptr && same_but_status(before->head, now->head);
    const bool is_told = only_status && is_overwritten(reconciler_, key, *before, *now);
    if (!only_status || before->state != now->state || is_told) controller_.queue().add(to_string(key));
  });
}

Task<void> TaskControl::run() {
  co_await wait_readable();
  std::vector<Task<void>> parts;
  parts.push_back(tasks_.run());
  parts.push_back(work());
  co_await all_of(std::move(parts));
}

Task<void> TaskControl::wait_readable() {
  bool is_told = false;
  for (;;) {
    const auto listed = co_await services_.client.get_raw(k8s::tasks().collection_path(options_.ns) + "?limit=1");
    if (listed) break;
    const ErrorCode code = listed.error().code;
    const bool is_refused = code == ErrorCode::kPermissionDenied || code == ErrorCode::kNotFound;
    // Without the server's words, which name the operator's account: whoever reaches the port reads this.
    if (is_refused) missing_ = kMissing;
    if (is_refused && !std::exchange(is_told, true)) log_.warn(kMissing, {{"error", listed.error().message}});
    co_await services_.clock.sleep_for(is_refused ? std::chrono::nanoseconds(kSweepInterval) : kRetry);
  }
  missing_.clear();
}

Task<void> TaskControl::work() {
  while (!co_await tasks_.wait_synced(kSyncTimeout)) {
    log_.warn("the Kubernetes API has not delivered a complete list of Tasks yet");
  }
  is_running_ = true;
  std::vector<Task<void>> parts;
  parts.push_back(controller_.run());
  parts.push_back(sweep_for_ever());
  co_await all_of(std::move(parts));
}

Task<Result<k8s::Outcome>> TaskControl::reconcile(std::string key, Logger log) {
  auto object = [this, key] { return reconciled(tasks_, k8s::tasks(), key); };
  return guard_.run(reconciler_.reconcile(std::move(key), log), std::move(object), log);
}

void TaskControl::wake(const k8s::ObjectKey& task) {
  if (is_running_) controller_.queue().add(to_string(task));
}

void TaskControl::wake(const std::string& task_id) {
  if (!is_running_) return;
  for (const auto& [key, kept] : tasks_.by_index(kById, task_id)) controller_.queue().add(to_string(key));
}

void TaskControl::wake_all() {
  if (!is_running_) return;
  tasks_.each([this](const k8s::ObjectKey& key, const KeptTask& kept) {
    const auto state = model::parse_task_state(kept.state);
    const bool is_over = state && model::is_terminal(*state);
    if (!is_over && options_.is_ours(kept.head)) controller_.queue().add(to_string(key));
  });
}

Task<void> TaskControl::sweep_for_ever() {
  for (;;) {
    const auto seen = sweep_.version();
    const Status swept = co_await sweep();
    if (!swept) log_.warn("a sweep failed; the next one tries again", {{"error", swept.error().message}});
    co_await wait_on_clock(sweep_, seen, services_.clock, kSweepInterval);
  }
}

Task<Status> TaskControl::sweep() {
  auto open = co_await services_.stores.tasks.open();
  DET_CO_TRY(open);
  std::unordered_set<std::string> uids;
  std::unordered_set<std::string> nonces;
  tasks_.each([&](const k8s::ObjectKey&, const KeptTask& kept) {
    uids.insert(kept.head.uid);
    nonces.insert(kept.head.nonce);
  });
  const WallTime now = services_.clock.wall_now();
  Status swept;
  for (const store::TaskRun& run : *open) {
    const store::TaskRow& row = run.task;
    if (uids.contains(row.uid)) continue;
    if (row.uid.empty()) {
      // One with its nonce is to be adopted: nobody could for long.
      if (now - row.start_time < kOrphanAge || nonces.contains(row.nonce)) continue;
    } else {
      // Another namespace than ours, or a copy that is behind: the server knows.
      auto live = co_await services_.client.get(k8s::tasks(), {.ns = row.ns, .name = row.name});
      if (live && view_task(*live).uid == row.uid) continue;
      if (!live && live.error().code != ErrorCode::kNotFound) {
        swept = std::unexpected(std::move(live).error());  // those behind it are looked at none the less
        continue;
      }
    }
    const std::string why = row.uid.empty() ? "its Task object was never created" : "the Task object was deleted";
    store::TaskEnd end{.state = model::TaskState::kCanceled, .reason = why, .run = {}};
    if (row.run > 0) end.run = store::TrialExit{.run = row.run, .reason = why};
    co_await write_abandoned(services_.stores.logs, services_.clock, row, why);
    auto ended = co_await services_.stores.tasks.end(services_.epoch, row.id, std::move(end));
    DET_CO_TRY(ended);
    DET_CO_TRY(co_await services_.stores.services.withdraw(services_.epoch, row.id));
    log_.info("task ended without its object", {{"task", row.id}, {"why", why}});
  }
  co_return swept;
}

}  // namespace det::op
