#include "operator/task/task_effects.h"

#include <algorithm>
#include <utility>

#include "accept/model_code.h"
#include "accept/tensorboard_lookup.h"
#include "base/encoding.h"
#include "base/json_get.h"
#include "operator/gang/policy_wait.h"
#include "operator/gang/run_log.h"
#include "operator/gang/run_rows.h"
#include "operator/live_object.h"
#include "operator/removal/removal_task.h"
#include "operator/task/task_facts.h"
#include "operator/task/task_services.h"
#include "pods/names.h"
#include "pods/standalone_task.h"

namespace det::op {
namespace {

constexpr std::chrono::seconds kPollWhileDeleting{10};

RunDecision failure(std::string reason) {
  RunDecision over;
  over.step = RunStep::kFinish;
  over.final_state = model::TrialState::kError;
  over.reason = std::move(reason);
  return over;
}

}  // namespace

Task<Result<std::optional<k8s::Outcome>>> TaskEffects::perform(TaskRound& round, const RunDecision& decision,
                                                               Logger log) {
  if (decision.step != RunStep::kWait && decision.step != RunStep::kCreatePods) {
    DET_CO_TRY(co_await backend_.release(round.workload()));
  }
  switch (decision.step) {
    case RunStep::kRest:
      if (decision.is_stalled) {
        services_.events.publish(round.subject(), k8s::EventType::kWarning, "TaskStalled", decision.reason);
      }
      DET_CO_TRY(co_await runs_.remove_old(round.workload(), round.row.run, round.facts.run_is_open));
      co_return look_at(decision.deadline, services_.clock, k8s::Done{});
    case RunStep::kWait: {
      DET_CO_TRY(co_await wait(round));
      auto next = decision.deadline;
      if (round.idle_at) next = std::min(next.value_or(*round.idle_at), *round.idle_at);
      co_return look_at(next, services_.clock, k8s::AwaitChange{});
    }
    case RunStep::kStartRun:
      DET_CO_TRY(co_await start_run(round, log));
      co_return std::nullopt;
    case RunStep::kCreatePods:
      co_return co_await create_pods(round, log);
    case RunStep::kRequestPreemption:  // tasks hear none
      co_return k8s::AwaitChange{};
    case RunStep::kRecordVerdict:
      DET_CO_TRY(co_await services_.stores.allocations.record_verdict(services_.epoch, round.allocation->id,
                                                                      *decision.verdict));
      co_return std::nullopt;
    case RunStep::kDeletePods:
      DET_CO_TRY(co_await runs_.remove(round.facts.gang, decision.reason, log));
      co_return k8s::CheckAgain{kPollWhileDeleting};
    case RunStep::kEndRun:
      if (decision.counts == Counts::kInfraRestart) {
        auto kept = co_await is_kept(services_.client, round.subject());
        DET_CO_TRY(kept);
        if (!*kept) co_return k8s::CheckAgain{kDeletionIsTold};
      }
      DET_CO_TRY(co_await end_run(round, decision, log));
      co_return std::nullopt;
    case RunStep::kFinish:
      DET_CO_TRY(co_await finish(round, decision, log));
      co_return std::nullopt;
  }
  co_return std::nullopt;
}

Task<Status> TaskEffects::wait(const TaskRound& round) {
  if (round.facts.gang.reached == model::AllocationState::kPending) DET_CO_TRY(co_await gangs_.keep(gang_of(round)));
  DET_CO_TRY(co_await gangs_.follow(gang_of(round), round.facts.gang, *round.allocation, round.resources));
  co_return co_await proxied_.publish(round.row.id, round.allocation->id, services_of(round));
}

Task<Result<pods::TaskRequest>> TaskEffects::request_of(const TaskRound& round, int run) {
  pods::StandaloneTask task;
  task.object = round.object.key;
  task.object_uid = round.object.uid;
  task.type = round.type;
  task.task_id = round.row.id;
  task.allocation_id = model::allocation_id(round.row.id, run);
  task.run = run;
  task.num_pods = round.plan.pods;
  task.slots_per_pod = round.plan.slots_per_pod;
  task.owner = round.row.username;
  task.workspace = round.row.workspace_name;
  task.port_base = round.plan.port_base;
  task.account = round.plan.account;
  task.notebook_token = round.row.access.token;
  task.private_key = round.row.access.private_key;
  task.public_key = round.row.access.public_key;
  if (round.type == model::TaskType::kTensorBoard) {
    auto found = co_await accept::find_shown(services_.stores.experiments, services_.stores.trials,
                                             {.experiments = round.row.experiments, .trials = round.row.trials});
    // Deleted since it was accepted: nobody can show it any more.
    if (!found && found.error().code == ErrorCode::kNotFound) found.error().code = ErrorCode::kInvalidArgument;
    DET_CO_TRY(found);
    auto source = pods::tensorboard_source(services_.settings.cluster_id, accept::only_shown(*found));
    DET_CO_TRY(source);
    task.source = std::move(*source);
  }
  if (round.type == model::TaskType::kCheckpointGc) {
    auto removal = co_await removal_of(round.row.id);
    DET_CO_TRY(removal);
    task.removal = std::move(*removal);
  }
  co_return pods::standalone_task(services_.settings, task, round.row.config, round.config);
}

Task<Result<pods::RemovalSource>> TaskEffects::removal_of(std::string task_id) {
  auto removal = co_await services_.stores.removals.of_task(task_id);
  DET_CO_TRY(removal);
  if (!*removal) co_return fail(ErrorCode::kInvalidArgument, "it is not known any more what it is to remove");
  auto experiment = co_await services_.stores.experiments.find((**removal).experiment);
  DET_CO_TRY(experiment);
  if (!*experiment) co_return fail(ErrorCode::kInvalidArgument, "its experiment is gone");
  co_return removal_source(**removal, **experiment);
}

Task<Status> TaskEffects::finish_if_hopeless(const TaskRound& round, Error error, Logger log) {
  if (error.code != ErrorCode::kInvalidArgument) co_return std::unexpected(std::move(error));
  co_return co_await finish(round, failure(error.message), log);
}

Task<Status> TaskEffects::start_run(const TaskRound& round, Logger log) {
  const int run = round.row.run + 1;
  auto request = co_await request_of(round, run);
  if (!request) co_return co_await finish_if_hopeless(round, request.error(), log);
  auto tokens = co_await runs_.ensure_secret(*request);
  if (!tokens) co_return co_await finish_if_hopeless(round, tokens.error(), log);
  auto started = co_await services_.stores.tasks.start_run(services_.epoch, round.row.id,
                                                           {.run = run,
                                                            .slots = round.plan.pods * round.plan.slots_per_pod,
                                                            .token_hash = sha256_hex(tokens->session),
                                                            .user_token_hash = sha256_hex(tokens->user),
                                                            .plan = round.plan,
                                                            .limits = {}});
  if (!started) co_return std::unexpected(with_context(std::move(started).error(), "start run"));
  log.info("task run started", {{"task", round.row.id}, {"run", run}});
  note_tokens(services_.audit, *request);
  co_await write_log(round, request->allocation_id,
                     "Scheduling " + title(round.row) + " (id: " + request->allocation_id + ")");
  co_return Status{};
}

GangOfRun TaskEffects::gang_of(const TaskRound& round) {
  return {.owner = round.workload(),
          .owner_uid = round.object.uid,
          .priority = priority_of(round),
          .job = {.experiment = std::nullopt, .submitted = round.row.start_time},
          .order = round.row.number,
          .shape = {.allocation_id = model::allocation_id(round.row.id, round.row.run),
                    .base_name = pods::task_base_name(round.object.key.name),
                    .run = round.row.run,
                    .pods = round.plan.pods,
                    .slots_per_pod = round.plan.slots_per_pod}};
}

// A pool that is gone, a policy that has become stricter. A gang of which pods run is made whole.
std::optional<GangWait> TaskEffects::wait_for_leave(const TaskRound& round, const pods::TaskRequest& request,
                                                    const nlohmann::json& source) const {
  const model::ResourcesConfig& resources = request.config.resources;
  auto waits = wait_for_pool(services_.settings, resources);
  if (waits || !round.facts.gang.pods.empty()) return waits;
  const bool is_known_apart = round.object.template_name.empty() && round.row.submitted.is_object();
  return wait_for_policy(services_.settings,
                         {.whose = "task",
                          .ns = round.row.ns,
                          .slots = round.plan.pods * round.plan.slots_per_pod,
                          .pool = resources.resource_pool,
                          .config = round.row.config,
                          .written = is_known_apart ? std::optional(round.row.submitted) : std::nullopt,
                          .source = source});
}

Task<Result<std::optional<k8s::Outcome>>> TaskEffects::create_pods(TaskRound& round, Logger log) {
  auto request = co_await request_of(round, round.row.run);
  if (!request) {
    DET_CO_TRY(co_await finish_if_hopeless(round, request.error(), log));
    co_return std::nullopt;
  }
  auto source = co_await accept::load_code_source(services_.stores.contexts, round.row.context);
  DET_CO_TRY(source);
  const Status kept = co_await runs_.ensure_more_secrets(*request);
  if (!kept) {
    DET_CO_TRY(co_await finish_if_hopeless(round, kept.error(), log));
    co_return std::nullopt;
  }
  const std::string shown = get_string(get_any(round.object.status, "scheduling"), "code");
  if (auto waits = wait_for_leave(round, *request, *source)) {
    if (waits->reason == kPodPolicyWait && shown != waits->reason) {
      services_.events.publish(round.subject(), k8s::EventType::kWarning, waits->reason, waits->message);
    }
    co_await gangs_.log_wait(request->task_id, request->allocation_id, *waits);
    DET_CO_TRY(co_await backend_.release(round.workload()));
    round.waits = std::move(waits);
    co_return k8s::CheckAgain{*round.waits->retry_in};
  }
  auto made = co_await gangs_.create(gang_of(round), std::move(*request), std::move(*source), round.facts.gang, shown);
  DET_CO_TRY(made);
  round.pod_spec = std::move(made->pod_spec);
  if (!made->refused.empty()) {
    // The user can act on the server's words.
    const std::string reason = "the Kubernetes API refuses the pod: " + made->refused;
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "PodRefused", reason);
    DET_CO_TRY(co_await finish(round, failure(reason), log));
    co_return std::nullopt;
  }
  round.waits = std::move(made->waits);
  if (round.waits && round.waits->retry_in) co_return k8s::CheckAgain{*round.waits->retry_in};
  // Half a gang that waits for its other pods has a deadline, too.
  co_return look_at(round.facts.bind_deadline, services_.clock, k8s::AwaitChange{});
}

Task<Status> TaskEffects::end_run(const TaskRound& round, const RunDecision& decision, Logger log) {
  auto recorded = co_await services_.stores.tasks.record_exit(services_.epoch, round.row.id,
                                                              exit_of(round.row.run, decision, round.facts.gang));
  if (!recorded) co_return std::unexpected(with_context(std::move(recorded).error(), "record the run's end"));
  if (decision.counts == Counts::kInfraRestart) {
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "InfrastructureFailure",
                             decision.reason + "; the task runs again");
  }
  proxied_.forget(round.row.id);
  log.info("task run ended", {{"task", round.row.id}, {"run", round.row.run}, {"reason", decision.reason}});
  if (!model::is_terminal(round.row.state)) {
    co_await write_end(round, model::allocation_id(round.row.id, round.row.run), decision);
  }
  if (decision.withdraws) {
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "GangWithdrawn", decision.reason);
    backend_.back_off(round.workload(), decision.reason);
  }
  co_return Status{};
}

// The line for people comes first: whoever follows the log is let go when the task is over.
Task<Status> TaskEffects::finish(const TaskRound& round, const RunDecision& decision, Logger log) {
  const std::string last_run = model::allocation_id(round.row.id, std::max(round.row.run, 1));
  co_await write_end(round, last_run, decision);
  store::TaskEnd end{.state = task_state(decision.final_state), .reason = decision.reason, .run = {}};
  if (round.facts.run_is_open) end.run = exit_of(round.row.run, decision, round.facts.gang);
  auto ended = co_await services_.stores.tasks.end(services_.epoch, round.row.id, std::move(end));
  if (!ended) co_return std::unexpected(with_context(std::move(ended).error(), "end task"));
  // Also when it was over already: the answer to the first try may have been lost. Repeated events are folded.
  if (decision.final_state == model::TrialState::kError) {
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "TaskFailed", decision.reason);
  }
  DET_CO_TRY(co_await services_.stores.services.withdraw(services_.epoch, round.row.id));
  proxied_.forget(round.row.id);
  log.info("task ended", {{"task", round.row.id}, {"reason", decision.reason}});
  co_return Status{};
}

Task<void> TaskEffects::write_end(const TaskRound& round, std::string allocation_id, const RunDecision& decision) {
  co_await ends_.write(services_.stores.logs, services_.clock, round.row.id, std::move(allocation_id),
                       title(round.row) + " was terminated: " + decision.reason);
}

Task<void> TaskEffects::write_log(const TaskRound& round, std::string allocation_id, std::string line) {
  co_await write_run_log(services_.stores.logs, services_.clock, round.row.id, std::move(allocation_id),
                         std::move(line));
}

}  // namespace det::op
