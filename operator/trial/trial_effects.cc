// The steps of the trial reconciler that change something. Each may be repeated after a crash at any point.

#include "accept/model_code.h"
#include "base/audit_log.h"
#include "base/encoding.h"
#include "base/json_get.h"
#include "operator/cluster/harness_bundle.h"
#include "operator/experiment/live_settings.h"
#include "operator/live_states.h"
#include "operator/trial/stored_pod.h"
#include "operator/trial/trial_reconciler.h"
#include "operator/trial/trial_steps.h"
#include "pods/code_source.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

// What upstream gives a killed task, too.
constexpr int kKillGraceSeconds = 15;
constexpr std::chrono::seconds kLogTimeout{10};
constexpr std::chrono::seconds kBundleTrusted{10};

// The token of the run's Secret: it was random when the Secret was first made, and the database holds its hash only.
Result<std::string> secret_value(const json& secret, const char* name) {
  auto decoded = base64_decode(get_string(get_any(secret, "data"), name));
  if (!decoded || decoded->empty()) {
    return fail(ErrorCode::kDataLoss, "the run's Secret has no " + std::string(name) + "; delete the Secret to go on");
  }
  return decoded;
}

std::string title(const store::TrialRow& row) {
  return "Trial " + to_string(row.id) + " (Experiment " + to_string(row.experiment) + ")";
}

store::ExitKind exit_kind(Counts counts) {
  switch (counts) {
    case Counts::kNothing:
      return store::ExitKind::kNone;
    case Counts::kRestart:
      return store::ExitKind::kRestart;
    case Counts::kInfraRestart:
      return store::ExitKind::kInfraRestart;
  }
  return store::ExitKind::kNone;
}

}  // namespace

Task<Result<pods::GangRequest>> TrialReconciler::gang_request(Round round, int run) {
  auto frozen = co_await experiment(round.row.experiment, round.object.owner_uid);
  DET_CO_TRY(frozen);
  const store::ExperimentView& view = **frozen;
  auto latest = co_await services_.stores.checkpoints.latest(round.row.id);
  DET_CO_TRY(latest);

  pods::GangRequest gang;
  gang.trial = round.object.key;
  gang.trial_uid = round.object.uid;
  gang.experiment_object = round.object.owner_name;
  gang.experiment_id = round.row.experiment;
  gang.trial_id = round.row.id;
  gang.task_id = round.row.task_id;
  gang.run = run;
  gang.allocation_id = model::allocation_id(round.row.task_id, run);
  gang.num_pods = pods_of(round.object, services_.settings.master);
  gang.slots_per_pod = round.object.slots / gang.num_pods;
  gang.seed = round.row.seed;
  if (*latest) {
    gang.latest_checkpoint = (*latest)->uuid;
    gang.steps_completed = (*latest)->steps;
  }
  if (gang.latest_checkpoint.empty()) {
    auto source = co_await warm_start(round.row, view.row.config);
    DET_CO_TRY(source);
    gang.latest_checkpoint = std::move(*source);
    gang.starts_warm = !gang.latest_checkpoint.empty();
  }
  gang.owner = view.username;
  gang.workspace = view.workspace_name;
  gang.ports = ports_at(port_block(services_.settings.master, round.row.id));
  gang.config = view.row.config;
  gang.hparams = round.row.hparams;
  for (const store::ExcludedNode& one : round.row.logs.excluded_nodes) gang.excluded_nodes.push_back(one.node);
  co_return gang;
}

// Another trial's checkpoint, chosen at the first run and kept: the other trial may still be training.
Task<Result<std::string>> TrialReconciler::warm_start(store::TrialRow row, nlohmann::json config) {
  if (!row.warm_start_checkpoint.empty()) co_return row.warm_start_checkpoint;
  const json& searcher = get_any(config, "searcher");
  std::optional<std::string> uuid;
  std::optional<model::TrialId> trial;
  if (get_any(searcher, "source_checkpoint_uuid").is_string()) uuid = get_string(searcher, "source_checkpoint_uuid");
  if (get_any(searcher, "source_trial_id").is_number())
    trial = model::TrialId{get_integer(searcher, "source_trial_id")};
  co_return co_await services_.stores.checkpoints.warm_start(std::move(uuid), trial);
}

// The Secret comes first: the database only ever sees the hash of a token that some Secret holds, so a crash between
// the two finds the same token again.
Task<Status> TrialReconciler::start_run(Round round, Logger log) {
  const int run = round.row.run + 1;
  auto gang = co_await gang_request(round, run);
  if (!gang && gang.error().code == ErrorCode::kInvalidArgument) {
    // The checkpoint to start from was deleted since the experiment was accepted.
    TrialDecision over;
    over.step = TrialStep::kFinish;
    over.final_state = model::TrialState::kError;
    over.reason = gang.error().message;
    co_return co_await finish(std::move(round), over, log);
  }
  DET_CO_TRY(gang);
  gang->token = random_token(32);
  gang->user_token = random_token(32);
  json wanted = pods::build_secret(services_.settings, *gang);
  auto secret = co_await create_owned(services_.client, k8s::secrets(), gang->trial.ns, std::move(wanted));
  if (!secret) co_return std::unexpected(with_context(std::move(secret).error(), "create the run's Secret"));
  auto session = secret_value(*secret, "DET_SESSION_TOKEN");
  auto user = secret_value(*secret, "DET_USER_TOKEN");
  if (!session || !user) co_return std::unexpected(session ? user.error() : session.error());

  store::NewRun fresh;
  fresh.run = run;
  fresh.slots = round.object.slots;
  fresh.token_hash = sha256_hex(*session);
  fresh.user_token_hash = sha256_hex(*user);
  fresh.restore_steps = gang->steps_completed;
  if (gang->starts_warm) fresh.warm_start_checkpoint = gang->latest_checkpoint;
  fresh.port_base = port_block(services_.settings.master, round.row.id);
  fresh.limits = round.limits;
  auto started = co_await services_.stores.trials.start_run(services_.epoch, round.row.id, fresh);
  if (!started) co_return std::unexpected(with_context(std::move(started).error(), "start run"));
  log.info("trial run started", {{"trial", round.row.id.value}, {"run", run}});
  if (services_.audit != nullptr) {
    services_.audit->record({.at = {},
                             .action = "token.create",
                             .user = gang->owner,
                             .token = {},
                             .object = "allocations/" + gang->allocation_id,
                             .from = {},
                             .forwarded = {},
                             .status = 0,
                             .reason = {}});
  }
  co_await write_log(round.row.task_id, gang->allocation_id,
                     "Scheduling " + title(round.row) + " (id: " + gang->allocation_id + ")");
  co_return Status{};
}

Task<Result<std::optional<GangWait>>> TrialReconciler::create_pods(Round& round, Logger log) {
  auto gang = co_await gang_request(round, round.row.run);
  DET_CO_TRY(gang);
  auto frozen = co_await experiment(round.row.experiment, round.object.owner_uid);
  DET_CO_TRY(frozen);
  const store::ExperimentView& view = **frozen;
  auto source = co_await accept::load_code_source(services_.stores.contexts, view.row.context);
  DET_CO_TRY(source);
  if (auto pull = pods::build_pull_secret(services_.settings, *gang)) {
    auto kept = co_await create_owned(services_.client, k8s::secrets(), gang->trial.ns, std::move(*pull));
    if (!kept) co_return std::unexpected(with_context(std::move(kept).error(), "create the image pull Secret"));
  }
  auto waits = wait_for_pool(services_.settings, gang->config);
  // A gang of which pods run is made whole.
  if (!waits && round.facts.gang.pods.empty()) {
    const auto owner = owner_of(round.object);
    const bool has_template = owner == nullptr || !owner->template_name.empty();
    waits = wait_for_policy(services_.settings, view.row, *source, has_template);
    if (waits && get_string(get_any(round.object.status, "scheduling"), "code") != waits->reason) {
      services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, waits->reason, waits->message);
    }
  }
  if (waits) {
    auto released = co_await backend_.release(round.object.key);
    DET_CO_TRY(released);
    co_return waits;
  }
  auto bundle = co_await ensure_bundle(gang->trial.ns);
  DET_CO_TRY(bundle);
  Gang missing = gang_of(round);
  missing.priority = queue_priority(gang->config, live_of(view.row));
  for (int rank = 0; rank < gang->num_pods; ++rank) {
    const auto is_rank = [rank](const PodFacts& pod) { return pod.rank == rank; };
    const auto& pods = round.facts.gang.pods;
    if (std::none_of(pods.begin(), pods.end(), is_rank)) {
      missing.pods.push_back(pods::build_pod(services_.settings, *gang, rank));
      pods::add_code_source(missing.pods.back(), *source);
    }
  }
  if (!missing.pods.empty()) round.pod_spec = pods::shown_pod_spec(missing.pods.front());
  auto created = co_await backend_.create(std::move(missing));
  if (!created && created.error().code == ErrorCode::kInvalidArgument) {
    // No later try can succeed, and the user can act on the server's words.
    TrialDecision over;
    over.step = TrialStep::kFinish;
    over.final_state = model::TrialState::kError;
    over.reason = "the Kubernetes API refuses the trial's pod: " + created.error().message;
    services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, "PodRefused", over.reason);
    auto finished = co_await finish(round, over, log);
    DET_CO_TRY(finished);
    co_return std::nullopt;
  }
  if (!created) {
    services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, "PodsNotCreated",
                             created.error().message);
    co_return std::unexpected(std::move(created).error());
  }
  if (*created) {
    if (get_string(get_any(round.object.status, "scheduling"), "code") != (*created)->reason) {
      services_.events.publish(subject_of(round.object), k8s::EventType::kNormal, "GangWaits", (*created)->message);
    }
    auto tidied = co_await delete_old_pods(round);
    DET_CO_TRY(tidied);
    co_return std::move(*created);
  }
  auto rows = resource_rows(gang->allocation_id, gang->trial.name, gang->run, gang->num_pods, gang->slots_per_pod,
                            round.facts.gang.pods);
  auto noted = co_await services_.stores.allocations.note_pods(gang->allocation_id, model::AllocationState::kPending,
                                                               std::move(rows));
  DET_CO_TRY(noted);
  log.info("pods created", {{"trial", gang->trial_id.value}, {"run", gang->run}, {"pods", gang->num_pods}});
  co_return std::nullopt;
}

// Every look fetches all of it, and a search makes hundreds of gangs one after another.
Task<Status> TrialReconciler::ensure_bundle(std::string ns) {
  const SteadyTime now = services_.clock.steady_now();
  const auto seen = bundles_.find(ns);
  if (seen != bundles_.end() && now - seen->second < kBundleTrusted) co_return Status{};
  auto ensured = co_await ensure_harness_bundle(services_.client, ns, services_.settings.harness_config_map);
  if (ensured) bundles_.insert_or_assign(ns, now);
  co_return ensured;
}

Gang TrialReconciler::gang_of(const Round& round) const {
  return {.trial = round.object.key,
          .trial_uid = round.object.uid,
          .name = round.object.key.name + "-" + std::to_string(round.row.run),
          .size = pods_of(round.object, services_.settings.master),
          .order = round.row.id.value};
}

Task<Status> TrialReconciler::follow_pods(Round round, TrialDecision decision, Logger log) {
  if (decision.is_rendezvous_slow) co_await notice_slow_rendezvous(round, log);
  const std::string id = round.allocation->id;
  const int size = pods_of(round.object, services_.settings.master);
  auto rows =
      resource_rows(id, round.object.key.name, round.row.run, size, round.object.slots / size, round.facts.gang.pods);
  const auto differs = [&](const store::ResourceRow& row) {
    return std::none_of(round.resources.begin(), round.resources.end(), [&](const store::ResourceRow& known) {
      return known.rank == row.rank && known.node == row.node && known.ip == row.ip && known.pod_name == row.pod_name;
    });
  };
  const model::AllocationState reached = round.facts.gang.reached;
  const bool moves = model::may_become(round.allocation->state, reached);
  if (moves || std::any_of(rows.begin(), rows.end(), differs)) {
    const model::AllocationState to = moves ? reached : round.allocation->state;
    auto noted = co_await services_.stores.allocations.note_pods(id, to, std::move(rows));
    if (!noted) co_return noted;
  }
  if (moves) services_.wake_experiment(round.object.key.ns + "/" + round.object.owner_name);
  co_return co_await delete_old_pods(std::move(round));
}

// The text is the one that people who used Determined know, with what we know beside it.
Task<void> TrialReconciler::notice_slow_rendezvous(Round round, Logger log) {
  const std::string& id = round.allocation->id;
  if (!slow_.insert(id).second) co_return;
  const std::string text = "the pods of the trial have been running for " +
                           std::to_string(kRendezvousPatience.count() / 60) +
                           " minutes without all of them having connected to the master (rendezvous); look at the log "
                           "of each pod, and whether pods can reach " +
                           services_.settings.task_url;
  services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, "RendezvousSlow", text);
  log.warn("rendezvous is slow", {{"allocation", id}});
  co_await write_log(round.row.task_id, id, text);
}

void TrialReconciler::wake_siblings(const Round& round) {
  if (!round.limits.any()) return;
  for (const auto& [key, trial] : services_.informers.trials.by_index(kByOwner, round.object.owner_uid)) {
    if (trial->head.trial_id != round.object.trial_id) services_.wake_trial(to_string(key));
  }
}

Task<Status> TrialReconciler::delete_pods(Round round, std::string reason, Logger log) {
  for (const PodFacts& pod : round.facts.gang.pods) {
    if (pod.deleting || !is_alive(pod, services_.clock.wall_now())) continue;
    k8s::DeleteOptions options;
    options.uid = pod.uid;
    options.grace_period_seconds = kKillGraceSeconds;
    auto removed = co_await services_.client.remove(k8s::pods(), pod.key, options);
    if (!removed) co_return std::unexpected(with_context(std::move(removed).error(), "delete pod " + pod.key.name));
    log.info("pod deleted", {{"pod", to_string(pod.key)}, {"reason", reason}});
  }
  co_return Status{};
}

// Pods of earlier runs have nothing more to say; those of the last one stay for `kubectl logs`.
Task<Status> TrialReconciler::delete_old_pods(Round round) {
  struct Old {
    k8s::ObjectKey key;
    std::string uid;
    bool is_lost;
  };
  std::vector<Old> old;
  const WallTime now = services_.clock.wall_now();
  for (const auto& [key, pod] : services_.informers.pods.by_index(kByTrial, to_string(round.object.key))) {
    const bool is_over = pod->run != round.row.run || !round.facts.run_is_open;
    const bool lost = is_over && is_lost(*pod, now);
    if (lost || (pod->run != round.row.run && !pod->deleting)) old.push_back({key, pod->uid, lost});
  }
  for (const auto& [key, uid, lost] : old) {
    k8s::DeleteOptions options;
    options.uid = uid;
    // Its token is dead: should the node come back, the program can report nothing any more.
    if (lost) options.grace_period_seconds = 0;
    auto removed = co_await services_.client.remove(k8s::pods(), key, options);
    if (!removed) co_return removed;
  }
  co_return Status{};
}

Task<Status> TrialReconciler::end_run(Round round, TrialDecision decision, Logger log) {
  store::TrialExit exit;
  exit.run = round.row.run;
  exit.kind = exit_kind(decision.counts);
  exit.reason = decision.reason;
  if (round.facts.gang.exit) exit.exit_code = round.facts.gang.exit->code;
  auto recorded = co_await services_.stores.trials.record_exit(services_.epoch, round.row.id, exit);
  if (!recorded) co_return std::unexpected(with_context(std::move(recorded).error(), "record the run's end"));
  if (decision.counts == Counts::kRestart) {
    services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, "TrialRestarted",
                             decision.reason + "; the trial runs again from its latest checkpoint (restart " +
                                 std::to_string(round.row.restarts + 1) + " of " +
                                 std::to_string(round.facts.max_restarts) + ")");
  }
  if (decision.counts == Counts::kInfraRestart) {
    services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, "InfrastructureFailure",
                             decision.reason + "; the trial runs again, without using up max_restarts");
  }
  wake_siblings(round);
  gone_.erase(to_string(round.object.key));
  slow_.erase(model::allocation_id(round.row.task_id, round.row.run));
  log.info("trial run ended", {{"trial", round.row.id.value}, {"run", round.row.run}, {"reason", decision.reason}});
  if (decision.step == TrialStep::kEndRun && !model::is_terminal(round.row.state)) co_await write_end(round, decision);
  co_return Status{};
}

// The state first: a crash before the run is ended finds a terminal trial with an open run, and closes it.
// The line for people comes before both: whoever follows the log is let go when the trial is over.
Task<Status> TrialReconciler::finish(Round round, TrialDecision decision, Logger log) {
  if (round.facts.run_is_open) co_await write_end(round, decision);
  auto moved = co_await services_.stores.trials.transition(services_.epoch, round.row.id, live_trial_states(),
                                                           decision.final_state, decision.reason);
  if (!moved) co_return std::unexpected(with_context(std::move(moved).error(), "end trial"));
  if (*moved && decision.final_state == model::TrialState::kError) {
    services_.events.publish(subject_of(round.object), k8s::EventType::kWarning, "TrialFailed", decision.reason);
  }
  if (round.facts.run_is_open) {
    auto ended = co_await end_run(round, decision, log);
    if (!ended) co_return ended;
  }
  services_.wake_experiment(round.object.key.ns + "/" + round.object.owner_name);
  co_return Status{};
}

Task<void> TrialReconciler::write_end(Round round, TrialDecision decision) {
  co_await write_log(round.row.task_id, model::allocation_id(round.row.task_id, round.row.run),
                     title(round.row) + " was terminated: " + decision.reason);
}

// Best effort: a line for people is not worth holding a trial up.
Task<void> TrialReconciler::write_log(std::string task_id, std::string allocation_id, std::string line) {
  store::LogLine entry;
  entry.time = services_.clock.wall_now();
  entry.level = store::LineLevel::kInfo;
  entry.allocation_id = std::move(allocation_id);
  entry.source = "master";
  entry.text = std::move(line) + "\n";
  std::vector<store::LogLine> lines = {std::move(entry)};
  auto written = co_await services_.stores.logs.write(std::move(task_id), std::move(lines), kLogTimeout);
  if (!written) Logger("trials").warn("a line for the task log was lost", {{"error", written.error().message}});
}

}  // namespace det::op
