#include "operator/trial/trial_effects.h"

#include <utility>

#include "base/encoding.h"
#include "base/json_get.h"
#include "operator/gang/run_log.h"
#include "operator/gang/run_rows.h"
#include "operator/live_object.h"
#include "operator/trial/run_plan.h"
#include "operator/trial/trial_facts.h"
#include "operator/trial/trial_retirement.h"

namespace det::op {
namespace {

using nlohmann::json;

// While a signal is out, its answer arrives in the database, which wakes nobody here.
constexpr std::chrono::seconds kPollWhileLeaving{2};
constexpr std::chrono::seconds kPollWhileDeleting{10};

}  // namespace

Task<Result<std::optional<k8s::Outcome>>> TrialEffects::perform(TrialRound& round, const RunDecision& decision,
                                                                Logger log) {
  if (decision.step != RunStep::kWait && decision.step != RunStep::kCreatePods) {
    DET_CO_TRY(co_await backend_.release(round.workload()));
  }
  switch (decision.step) {
    case RunStep::kRest:
      DET_CO_TRY(co_await rest(round, decision));
      co_return look_at(decision.deadline, services_.clock, k8s::Done{});
    case RunStep::kWait:
      DET_CO_TRY(co_await wait(round, decision, log));
      co_return round.facts.preempt_requested_at ? k8s::Outcome(k8s::CheckAgain{kPollWhileLeaving})
                                                 : look_at(decision.deadline, services_.clock, k8s::AwaitChange{});
    case RunStep::kStartRun:
      DET_CO_TRY(co_await start_run(round, log));
      // Where another trial of the experiment was faster, the next look finds no room and says so.
      co_return std::nullopt;
    case RunStep::kCreatePods:
      co_return co_await create_pods(round, log);
    case RunStep::kRequestPreemption:
      DET_CO_TRY(co_await services_.stores.allocations.request_preemption(round.allocation->id));
      co_return std::nullopt;
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

Task<Status> TrialEffects::rest(const TrialRound& round, const RunDecision& decision) {
  if (decision.is_stalled) {
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "TrialStalled", decision.reason);
  }
  co_return co_await runs_.remove_old(round.workload(), round.row.run, round.facts.run_is_open);
}

Task<Status> TrialEffects::wait(const TrialRound& round, const RunDecision& decision, Logger log) {
  if (round.facts.gang.reached == model::AllocationState::kPending) DET_CO_TRY(co_await pods_.keep(round));
  if (decision.is_rendezvous_slow) co_await notice_slow_rendezvous(round, log);
  DET_CO_TRY(co_await pods_.follow(round));
  co_return co_await publish_services(round);
}

Task<Status> TrialEffects::publish_services(const TrialRound& round) {
  auto frozen = co_await experiments_.frozen(round.row.experiment, round.object.owner_uid);
  DET_CO_TRY(frozen);
  const auto& ports = (*frozen)->config.environment.proxy_ports;
  if (ports.empty()) co_return Status{};
  const OpenPorts open{.task_id = round.row.task_id,
                       .allocation_id = round.allocation->id,
                       .address = first_address(round.facts.gang.pods),
                       .owner = (*frozen)->stored.row.owner,
                       .ports = ports};
  co_return co_await proxied_.publish(open.task_id, open.allocation_id, services_of(open));
}

Task<Status> TrialEffects::start_run(const TrialRound& round, Logger log) {
  auto frozen = co_await experiments_.frozen(round.row.experiment, round.object.owner_uid);
  DET_CO_TRY(frozen);
  auto plan = co_await plan_run(services_, round, (*frozen)->config);
  if (!plan && plan.error().code == ErrorCode::kInvalidArgument) {
    // The checkpoint to start from was deleted since the experiment was accepted.
    co_return co_await give_up(round, plan.error().message, log);
  }
  DET_CO_TRY(plan);
  const int run = round.row.run + 1;
  const pods::TaskRequest request = task_of_run(round, **frozen, *plan, run);
  auto tokens = co_await runs_.ensure_secret(request);
  // More than a Secret may hold.
  if (!tokens && tokens.error().code == ErrorCode::kInvalidArgument) {
    co_return co_await give_up(round, tokens.error().message, log);
  }
  DET_CO_TRY(tokens);
  auto started = co_await services_.stores.trials.start_run(services_.epoch, round.row.id,
                                                            {.run = run,
                                                             .slots = round.object.slots,
                                                             .token_hash = sha256_hex(tokens->session),
                                                             .user_token_hash = sha256_hex(tokens->user),
                                                             .plan = std::move(*plan),
                                                             .limits = round.limits});
  // Here alone it means the limits: of the Kubernetes API, which throttles, it is an error as any other.
  if (!started && started.error().code == ErrorCode::kResourceExhausted) co_return Status{};
  if (!started) co_return std::unexpected(with_context(std::move(started).error(), "start run"));
  log.info("trial run started", {{"trial", round.row.id.value}, {"run", run}});
  note_tokens(services_.audit, request);
  co_await write_log(round, request.allocation_id,
                     "Scheduling " + title(round.row) + " (id: " + request.allocation_id + ")");
  co_return Status{};
}

Task<Result<std::optional<k8s::Outcome>>> TrialEffects::create_pods(TrialRound& round, Logger log) {
  auto made = co_await pods_.create(round, log);
  DET_CO_TRY(made);
  if (!made->refused.empty()) {
    // The user can act on the server's words.
    const std::string reason = "the Kubernetes API refuses the trial's pod: " + made->refused;
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "PodRefused", reason);
    DET_CO_TRY(co_await give_up(round, reason, log));
    co_return std::nullopt;  // what it had been given goes back
  }
  round.waits = std::move(made->waits);
  if (round.waits && round.waits->retry_in) co_return k8s::CheckAgain{*round.waits->retry_in};
  // Half a gang that waits for its other pods has a deadline, too.
  co_return look_at(round.facts.bind_deadline, services_.clock, k8s::AwaitChange{});
}

// The text is the one that people who used Determined know, with what we know beside it.
Task<void> TrialEffects::notice_slow_rendezvous(const TrialRound& round, Logger log) {
  const std::string& id = round.allocation->id;
  if (!slow_.insert(id).second) co_return;
  const std::string text = "the pods of the trial have been running for " +
                           std::to_string(kRendezvousPatience.count() / 60) +
                           " minutes without all of them having connected to the master (rendezvous); look at the log "
                           "of each pod, and whether pods can reach " +
                           services_.settings.task_url;
  services_.events.publish(round.subject(), k8s::EventType::kWarning, "RendezvousSlow", text);
  log.warn("rendezvous is slow", {{"allocation", id}});
  co_await write_log(round, id, text);
}

Task<Status> TrialEffects::end_run(const TrialRound& round, const RunDecision& decision, Logger log) {
  auto recorded = co_await services_.stores.trials.record_exit(services_.epoch, round.row.id,
                                                               exit_of(round.row.run, decision, round.facts.gang));
  if (!recorded) co_return std::unexpected(with_context(std::move(recorded).error(), "record the run's end"));
  if (decision.counts == Counts::kRestart) {
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "TrialRestarted",
                             decision.reason + "; the trial runs again from its latest checkpoint (restart " +
                                 std::to_string(round.row.restarts + 1) + " of " +
                                 std::to_string(round.facts.max_restarts) + ")");
  }
  if (decision.counts == Counts::kInfraRestart) {
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "InfrastructureFailure",
                             decision.reason + "; the trial runs again, without using up max_restarts");
  }
  after_run(round, decision, log);
  if (!model::is_terminal(round.row.state)) co_await write_end(round, decision);
  if (decision.withdraws) {
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "GangWithdrawn", decision.reason);
    backend_.back_off(round.workload(), decision.reason);
  }
  co_return Status{};
}

// The line for people comes first: whoever follows the log is let go when the trial is over.
Task<Status> TrialEffects::finish(const TrialRound& round, const RunDecision& decision, Logger log) {
  if (round.facts.run_is_open) co_await write_end(round, decision);
  store::TrialEnd end{.state = decision.final_state, .reason = decision.reason, .run = {}};
  if (round.facts.run_is_open) end.run = exit_of(round.row.run, decision, round.facts.gang);
  auto ended = co_await services_.stores.trials.end(services_.epoch, round.row.id, std::move(end));
  if (!ended) co_return std::unexpected(with_context(std::move(ended).error(), "end trial"));
  // Also when it was over already: the answer to the first try may have been lost. Repeated events are folded.
  if (decision.final_state == model::TrialState::kError) {
    services_.events.publish(round.subject(), k8s::EventType::kWarning, "TrialFailed", decision.reason);
  }
  if (round.facts.run_is_open) after_run(round, decision, log);
  services_.wake_experiment(round.object.key.ns + "/" + round.object.owner_name);
  co_return Status{};
}

Task<Status> TrialEffects::give_up(const TrialRound& round, std::string reason, Logger log) {
  RunDecision over;
  over.step = RunStep::kFinish;
  over.final_state = model::TrialState::kError;
  over.reason = std::move(reason);
  co_return co_await finish(round, over, log);
}

void TrialEffects::after_run(const TrialRound& round, const RunDecision& decision, Logger log) {
  proxied_.forget(round.row.task_id);
  slow_.erase(model::allocation_id(round.row.task_id, round.row.run));
  log.info("trial run ended", {{"trial", round.row.id.value}, {"run", round.row.run}, {"reason", decision.reason}});
  if (!round.limits.any()) return;
  // Trials that wait for the experiment's limits may have room now.
  for (const auto& [key, trial] : services_.informers.trials.by_index(kByOwner, round.object.owner_uid)) {
    if (trial->head.trial_id != round.object.trial_id && !is_finished(*trial)) services_.wake_trial(to_string(key));
  }
}

Task<void> TrialEffects::write_end(const TrialRound& round, const RunDecision& decision) {
  // Determined's words, which scripts look for.
  if (decision.final_state == model::TrialState::kError && !round.facts.no_retry.empty()) {
    co_await write_log(round, model::allocation_id(round.row.task_id, round.row.run),
                       "trial failed and matched logs to a don't retry policy " + round.facts.no_retry);
  }
  co_await ends_.write(services_.stores.logs, services_.clock, round.row.task_id,
                       model::allocation_id(round.row.task_id, round.row.run),
                       title(round.row) + " was terminated: " + decision.reason);
}

Task<void> TrialEffects::write_log(const TrialRound& round, std::string allocation_id, std::string line) {
  co_await write_run_log(services_.stores.logs, services_.clock, round.row.task_id, std::move(allocation_id),
                         std::move(line));
}

}  // namespace det::op
