#include "operator/task/task_reconciler.h"

#include <algorithm>
#include <utility>

#include "base/json_get.h"
#include "model/cluster/task_namespaces.h"
#include "operator/conditions.h"
#include "operator/experiment/experiment_status.h"
#include "operator/task/task_facts.h"
#include "operator/task/task_status.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr int kMaxStepsPerReconcile = 10;
// What has not said yet that it is ready still installs and starts: that is not idling. But some never say it.
constexpr std::chrono::minutes kLongestStart{10};

// Why stands in a column of `kubectl get tasks -o wide`, too.
json refused_task_status(const ObservedTask& object, const Refusal& refusal, WallTime now) {
  json wanted = refused_status(object.status, object.generation, refusal, now);
  wanted["message"] = bounded_message(refusal.message);
  return wanted;
}

}  // namespace

Task<Result<k8s::Outcome>> TaskReconciler::reconcile(std::string key, Logger log) {
  const KeptTask* found = tasks_.find(k8s::parse_object_key(key));
  if (found == nullptr || found->head.deleting) {
    pace_.forget(key);
    const WorkloadKey owner{.kind = WorkloadKind::kTask, .key = k8s::parse_object_key(key)};
    observer_.forget(owner);
    DET_CO_TRY(co_await backend_.release(owner));
    co_return k8s::Outcome(k8s::Done{});
  }
  ObservedTask object = found->unpack();
  if (!is_ours_(object)) {
    // It was given to another class while it waited for its turn. What was accepted stays with us, as its row does.
    const auto accepted = co_await services_.stores.tasks.find_by_uid(object.uid);
    DET_CO_TRY(accepted);
    if (!*accepted) co_return k8s::Outcome(k8s::Done{});
  }
  const Status enabled = model::check_task_namespace(services_.settings.master.task_namespaces, object.key.ns);
  if (!enabled) {
    DET_CO_TRY(co_await write_refusal(
        object, {.reason = std::string(kNamespaceNotEnabled), .message = enabled.error().message, .may_pass = true}));
    co_return k8s::Outcome(k8s::AwaitChange{});
  }
  auto row = co_await row_of(object, log);
  if (!row) {
    // Something to say on the object, not a crash; the error brings the next try.
    if (row.error().code == ErrorCode::kUnavailable && !object.status.contains("id")) {
      const auto asked = from_database(co_await services_.stores.tasks.find_by_uid(object.uid));
      const Status said = co_await write_refusal(object, out_of_reach(row.error(), asked.has_value()));
      if (!said) log.debug("the status could not be written either", {{"error", said.error().message}});
    }
    co_return std::unexpected(std::move(row).error());
  }
  if (!*row) co_return k8s::Outcome(k8s::CheckAgain{refused_pause(object.status, services_.clock.wall_now())});
  co_return co_await drive(std::move(object), (**row).id, log);
}

template <typename T>
Result<T> TaskReconciler::from_database(Result<T> answer) {
  if (!answer && answer.error().code == ErrorCode::kUnavailable) watching_since_ = services_.clock.wall_now();
  return answer;
}

Task<Status> TaskReconciler::write_refusal(const ObservedTask& object, Refusal refusal) {
  // A task that runs says so; what waits for its namespace is told when it is new only.
  if (object.status.contains("id")) co_return Status{};
  json wanted = refused_task_status(object, refusal, services_.clock.wall_now());
  co_return co_await write_status(services_.client, k8s::tasks(), object.key, object.status, std::move(wanted));
}

Task<Result<std::optional<store::TaskRow>>> TaskReconciler::row_of(ObservedTask object, Logger log) {
  auto known = from_database(co_await services_.stores.tasks.find_by_uid(object.uid));
  if (!known || *known) co_return known;
  // Our copy lacks the files.
  auto live = co_await services_.client.get(k8s::tasks(), object.key);
  if (!live && live.error().code == ErrorCode::kNotFound) co_return std::optional<store::TaskRow>();
  DET_CO_TRY(live);
  ObservedTask fresh = view_task(*live);
  if (fresh.uid != object.uid || fresh.deleting || !is_ours_(fresh)) co_return std::optional<store::TaskRow>();
  auto answer = co_await acceptor_.accept(std::move(fresh));
  DET_CO_TRY(answer);
  if (auto* row = std::get_if<store::TaskRow>(&*answer)) {
    log.info("task accepted", {{"task", row->id}, {"object", to_string(object.key)}});
    co_return std::optional(std::move(*row));
  }
  Refusal& refusal = std::get<Refusal>(*answer);
  const json wanted = refused_task_status(object, refusal, services_.clock.wall_now());
  if (!merge_diff(object.status, wanted).empty()) {
    services_.events.publish({.resource = k8s::tasks(), .key = object.key, .uid = object.uid}, k8s::EventType::kWarning,
                             refusal.reason, refusal.message);
  }
  DET_CO_TRY(co_await write_refusal(object, std::move(refusal)));
  co_return std::optional<store::TaskRow>();
}

Task<Result<k8s::Outcome>> TaskReconciler::drive(ObservedTask object, std::string id, Logger log) {
  for (int i = 0; i < kMaxStepsPerReconcile; ++i) {
    auto round = co_await gather(object, id);
    DET_CO_TRY(round);
    DET_CO_TRY(co_await follow_spec(*round));
    const RunDecision decision = decide_run(round->facts, services_.clock.wall_now());
    auto performed = co_await effects_.perform(*round, decision, log);
    if (!performed && performed.error().code == ErrorCode::kPermissionDenied) {
      co_return co_await tell_refused(std::move(*round), decision, std::move(performed).error());
    }
    DET_CO_TRY(performed);
    if (!*performed) continue;
    co_return co_await publish(std::move(*round), decision, **performed);
  }
  co_return k8s::Outcome(k8s::CheckAgain{std::chrono::milliseconds(100)});
}

Task<Result<store::RunPlan>> TaskReconciler::plan_next(const TaskRound& round) {
  std::vector<int> taken;
  if (services_.settings.master.host_network_ports) {
    // A notebook may be open for weeks, until its number's turn has come again.
    const auto open = from_database(co_await services_.stores.tasks.open());
    DET_CO_TRY(open);
    taken = ports_of(*open);
  }
  co_return plan_task(services_.settings, round.config.resources, round.row.number, taken);
}

Task<Result<TaskRound>> TaskReconciler::gather(ObservedTask object, std::string id) {
  TaskRound round;
  auto run = from_database(co_await services_.stores.tasks.run_of(id));
  DET_CO_TRY(run);
  if (!*run) co_return fail(ErrorCode::kNotFound, "task " + id + " is not in the database");
  round.row = std::move((*run)->task);
  round.allocation = std::move((*run)->allocation);
  round.resources = std::move((*run)->resources);
  round.object = std::move(object);
  round.type = model::parse_task_word(round.row.type).value_or(model::TaskType::kCommand);
  auto config = model::read_task_config(round.row.config);
  DET_CO_TRY(config);
  round.config = std::move(*config);
  const bool is_open = round.allocation && !round.allocation->ended_at;
  // Of an open run it was decided when that started.
  if (is_open && round.allocation->plan) {
    round.plan = *round.allocation->plan;
  } else {
    auto plan = co_await plan_next(round);
    DET_CO_TRY(plan);
    round.plan = std::move(*plan);
  }
  auto gang = co_await observer_.observe({.owner = round.workload(),
                                          .owner_uid = round.object.uid,
                                          .run = round.row.run,
                                          .size = round.plan.pods,
                                          .is_open = is_open,
                                          .has_verdict = round.allocation && round.allocation->verdict,
                                          .resources = round.resources});
  DET_CO_TRY(gang);
  round.facts = task_facts(round.object, round.row, round.allocation, round.type);
  round.facts.gang = std::move(*gang);
  // What ended the run was decided while its pods showed it.
  if (round.facts.has_verdict) round.facts.gang.exit = round.allocation->verdict;
  round.facts.bind_deadline = bind_deadline(round.facts.gang.pods, backend_.bind_timeout(round.plan.pods));
  round.objection = objection_to_edit(round);
  DET_CO_TRY(co_await check_priority(round));
  if (!round.facts.run_is_open && round.row.infra_restarts > 0) {
    const WallTime since = services_.clock.wall_now() - kInfraWindow;
    auto failures = from_database(co_await services_.stores.tasks.infra_failures(round.row.id, since));
    DET_CO_TRY(failures);
    round.facts.infra = std::move(*failures);
  }
  co_return co_await gather_idling(std::move(round));
}

// What it was accepted with passed the policies; what the object says since then has not.
Task<Status> TaskReconciler::check_priority(TaskRound& round) {
  const auto edited = edited_priority(round);
  if (!edited || model::is_terminal(round.row.state)) co_return Status{};
  auto policies = from_database(
      co_await services_.stores.config_policies.of_workspace(round.row.workspace, model::WorkloadType::kNtsc));
  DET_CO_TRY(policies);
  const Status may = model::check_setting(*policies, "priority", json(*edited));
  if (may) co_return Status{};
  round.refuses_priority = true;
  round.objection = Refusal{
      .reason = "ConfigPolicy", .message = "spec.config.resources.priority: " + may.error().message, .may_pass = false};
  co_return Status{};
}

// Who asked for it by the proxy, and what a notebook says of its kernels: the later of the two counts.
Task<Result<TaskRound>> TaskReconciler::gather_idling(TaskRound round) {
  const bool is_watched = is_watched_for_idling(round.type, round.config);
  if (!is_watched || !round.facts.run_is_open || model::is_terminal(round.row.state)) co_return round;
  auto requests = from_database(co_await services_.stores.services.last_requests({round.row.id}));
  DET_CO_TRY(requests);
  const auto asked = requests->find(round.row.id);
  // Nobody could use it yet; or not any more, where its node was lost and its next run waits.
  const std::optional<WallTime> running = round.facts.gang.all_running_since;
  if (asked == requests->end() || !running) co_return round;
  round.used_at = std::max({asked->second, watching_since_, std::min(*running, services_.clock.wall_now())});
  if (round.row.active_at) round.used_at = std::max(*round.used_at, *round.row.active_at);
  const std::optional<WallTime> ready = round.allocation ? round.allocation->ready_at : std::nullopt;
  if (ready) round.used_at = std::max(*round.used_at, *ready);
  const std::chrono::seconds patience = ready ? std::chrono::seconds(0) : kLongestStart;
  round.idle_at = *round.used_at + *round.config.idle_timeout + patience;
  round.facts.not_needed = idled(*round.config.idle_timeout, *round.used_at, services_.clock.wall_now() - patience);
  co_return round;
}

// Only generic tasks pause.
Task<Status> TaskReconciler::follow_spec(const TaskRound& round) {
  if (auto description = description_of(round); description != round.row.description) {
    DET_CO_TRY(co_await services_.stores.tasks.set_description(round.row.id, std::move(description)));
  }
  if (model::is_terminal(round.row.state)) co_return Status{};
  if (const auto edited = edited_priority(round); edited && !round.refuses_priority) {
    DET_CO_TRY(co_await services_.stores.tasks.follow_priority(services_.epoch, round.row.id, *edited));
  }
  const bool is_paused = round.row.state == model::TaskState::kPaused;
  if (round.facts.suspend == is_paused) co_return Status{};
  DET_CO_TRY(co_await services_.stores.tasks.set_paused(services_.epoch, round.row.id, round.facts.suspend));
  co_return Status{};
}

Task<Result<k8s::Outcome>> TaskReconciler::tell_refused(TaskRound round, RunDecision decision, Error refused) {
  services_.events.publish(round.subject(), k8s::EventType::kWarning, kPodsNotCreated, refused.message);
  round.waits = refused_wait(refused.message);
  DET_CO_TRY(co_await publish(std::move(round), std::move(decision), k8s::AwaitChange{}));
  co_return std::unexpected(std::move(refused));
}

Task<Result<k8s::Outcome>> TaskReconciler::publish(TaskRound round, RunDecision decision, k8s::Outcome outcome) {
  const bool over = model::is_terminal(round.row.state);
  if (over) effects_.forget(round.row.id);
  if (round.waits) {
    round.facts.gang.waiting_reason = round.waits->reason;
    round.facts.gang.waiting_message = round.waits->message;
  }
  json wanted = task_status(round, decision, services_.clock.wall_now());
  const std::string key = to_string(round.object.key);
  const auto delay = pace_.delay(key, round.object.status, wanted, over, services_.clock.steady_now());
  if (!delay) co_return outcome;
  if (delay->count() > 0) {
    const auto* again = std::get_if<k8s::CheckAgain>(&outcome);
    co_return k8s::CheckAgain{again == nullptr ? *delay : std::min(*delay, again->after)};
  }
  DET_CO_TRY(co_await write_status(services_.client, k8s::tasks(), round.object.key, round.object.status, wanted));
  pace_.written(key, round.object.status, wanted, services_.clock.steady_now());
  co_return outcome;
}

}  // namespace det::op
