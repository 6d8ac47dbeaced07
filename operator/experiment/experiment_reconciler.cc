#include "operator/experiment/experiment_reconciler.h"

#include <algorithm>
#include <cmath>

#include "base/json_get.h"
#include "model/checkpoints/gc_plan.h"
#include "model/cluster/task_namespaces.h"
#include "operator/experiment/pool_moves.h"
#include "operator/gang/gang_backend.h"
#include "operator/live_states.h"
#include "operator/status_writer.h"
#include "pods/names.h"

namespace det::op {
namespace {

using model::ExperimentState;
using nlohmann::json;

constexpr std::chrono::seconds kDeletionLook{5};
constexpr std::chrono::seconds kHeldLook{60};
// Until our copies of the Trials that were just made are there; of those that lack one the server is asked.
constexpr std::chrono::milliseconds kMoreTrials{100};
// A quota or a webhook forbids them until somebody changes it, who then looks whether they come.
constexpr std::chrono::seconds kForbiddenTrials{30};
constexpr double kProgressStep = 0.005;

// The state a live experiment should be in for what its object asks.
ExperimentState wanted_state(const ObservedExperiment& object, ExperimentState now) {
  if (object.stop == StopRequest::kKill) return ExperimentState::kStoppingKilled;
  if (object.stop == StopRequest::kCancel && now != ExperimentState::kStoppingKilled)
    return ExperimentState::kStoppingCanceled;
  if (model::is_stopping(now)) return now;
  return object.suspend ? ExperimentState::kPaused : ExperimentState::kActive;
}

// By a quota, a policy or a webhook.
bool is_forbidden(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kInvalidArgument;
}

bool all_over(const std::vector<store::TrialRow>& trials) {
  return std::all_of(trials.begin(), trials.end(), [](const auto& trial) { return model::is_terminal(trial.state); });
}

}  // namespace

Task<Result<k8s::Outcome>> ExperimentReconciler::reconcile(std::string key, Logger log) {
  const KeptExperiment* found = services_.informers.experiments.find(k8s::parse_object_key(key));
  if (found == nullptr || (found->head.deleting && !found->head.has_finalizer)) {
    publisher_.forget(key);
    names_.forget(key);
    co_return k8s::Outcome(k8s::Done{});
  }
  const ObservedExperiment object = found->unpack();
  if (!is_ours_(object)) {
    // It was given to another class while it waited for its turn. What was accepted stays with us, as its row does.
    const auto accepted = co_await services_.stores.experiments.find_by_uid(object.uid);
    DET_CO_TRY(accepted);
    if (!*accepted) co_return k8s::Outcome(k8s::Done{});
  }
  const Status enabled = model::check_task_namespace(services_.settings.master.task_namespaces, object.key.ns);
  if (!enabled) co_return co_await wait_for_namespace(object, enabled.error().message);
  if (object.deleting) co_return co_await delete_history(object, log);
  DET_CO_TRY(co_await history_.follow_policy(object));
  auto row = co_await row_of(object, log);
  if (!row) {
    // Something to say on the object, not a crash; the error brings the next try.
    if (row.error().code == ErrorCode::kUnavailable && !object.status.contains("id")) {
      const auto asked = co_await services_.stores.experiments.find_by_uid(object.uid);
      const Refusal away = out_of_reach(row.error(), asked.has_value());
      auto said = co_await write_status(services_.client, k8s::experiments(), object.key, object.status,
                                        refused_status(object, away, services_.clock.wall_now()));
      if (!said) log.debug("the status could not be written either", {{"error", said.error().message}});
    }
    co_return std::unexpected(std::move(row).error());
  }
  if (!*row) co_return k8s::Outcome(k8s::CheckAgain{refused_pause(object.status, services_.clock.wall_now())});
  co_return co_await drive(object, std::move(**row), log);
}

// First it ends as a killed one does.
Task<Result<k8s::Outcome>> ExperimentReconciler::delete_history(ObservedExperiment object, Logger log) {
  auto row = co_await services_.stores.experiments.find_by_uid(object.uid);
  DET_CO_TRY(row);
  if (*row && !model::is_terminal((**row).state) && object.deletes_history) {
    auto driven = co_await drive(object, std::move(**row), log);
    if (driven) co_return driven;
    auto refused = co_await history_.tell_if_refused(object, driven.error());
    if (refused) {
      const Status told = co_await publisher_.publish_deletion(std::move(object), std::move(refused));
      if (!told) log.debug("the status could not be written either", {{"error", told.error().message}});
    }
    co_return driven;
  }
  const bool is_held = *row && (**row).state == ExperimentState::kDeleteFailed && object.deletes_history;
  std::optional<Refusal> held;
  if (is_held) {
    held = history_held((**row).message + " (`det experiment delete " + to_string((**row).id) +
                        "`); with deletionPolicy Keep the object goes, and its history stays");
  }
  const auto gone = co_await history_.advance(object, std::move(*row));
  if (!gone && gone.error().code == ErrorCode::kFailedPrecondition) held = history_held(gone.error().message);
  // The object waits for what people do elsewhere; without an event nobody would know for what.
  if (held) services_.events.publish(subject_of(object), k8s::EventType::kWarning, held->reason, held->message);
  if (!gone && gone.error().code != ErrorCode::kFailedPrecondition) {
    auto refused = co_await history_.tell_if_refused(object, gone.error());
    if (!refused) co_return std::unexpected(gone.error());
    held = std::move(refused);
  }
  if (gone && *gone) co_return k8s::Outcome(k8s::Done{});
  const auto pause = held ? kHeldLook : kDeletionLook;
  DET_CO_TRY(co_await publisher_.publish_deletion(std::move(object), std::move(held)));
  co_return k8s::Outcome(k8s::CheckAgain{pause});
}

// What runs there goes on and reports; nothing new is decided, because nothing of it could be carried out. The list of
// namespaces changes with a restart, which looks at every object.
Task<Result<k8s::Outcome>> ExperimentReconciler::wait_for_namespace(ObservedExperiment object, std::string why) {
  auto row = co_await services_.stores.experiments.find_by_uid(object.uid);
  DET_CO_TRY(row);
  if (object.deleting) history_.tell_of_finalizer(object, why);
  if (*row && model::is_terminal((**row).state)) co_return k8s::Outcome(k8s::Done{});
  json wanted = elsewhere_status(object, row->has_value(), why, services_.clock.wall_now());
  // By this people find it with det; the leader that accepted it may have gone before it wrote its first status.
  if (*row) wanted["id"] = (**row).id.value;
  if (merge_diff(object.status, wanted).empty()) co_return k8s::Outcome(k8s::AwaitChange{});
  // An event of the object would have to be in its namespace, where the operator may not make any.
  services_.events.publish(services_.lease, k8s::EventType::kWarning, std::string(kNamespaceNotEnabled),
                           "Experiment " + to_string(object.key) + ": " + why);
  auto written =
      co_await write_status(services_.client, k8s::experiments(), object.key, object.status, std::move(wanted));
  DET_CO_TRY(written);
  co_return k8s::Outcome(k8s::AwaitChange{});
}

Task<Result<std::optional<store::ExperimentRow>>> ExperimentReconciler::row_of(ObservedExperiment object, Logger log) {
  auto known = co_await services_.stores.experiments.find_by_uid(object.uid);
  if (!known || *known) co_return known;
  // Our copy lacks the model code.
  auto live = co_await services_.client.get(k8s::experiments(), object.key);
  if (!live && live.error().code == ErrorCode::kNotFound) co_return std::optional<store::ExperimentRow>();
  DET_CO_TRY(live);
  ObservedExperiment fresh = view_experiment(*live);
  if (fresh.uid != object.uid || fresh.deleting || !is_ours_(fresh)) co_return std::optional<store::ExperimentRow>();
  auto answer = co_await acceptor_.accept(std::move(fresh));
  DET_CO_TRY(answer);
  if (auto* row = std::get_if<store::ExperimentRow>(&*answer)) {
    log.info("experiment accepted", {{"experiment", row->id.value}, {"object", to_string(object.key)}});
    co_return std::optional(std::move(*row));
  }
  const Refusal& objection = std::get<Refusal>(*answer);
  json wanted = refused_status(object, objection, services_.clock.wall_now());
  if (!merge_diff(object.status, wanted).empty()) {
    services_.events.publish(subject_of(object), k8s::EventType::kWarning, objection.reason, objection.message);
  }
  auto written =
      co_await write_status(services_.client, k8s::experiments(), object.key, object.status, std::move(wanted));
  DET_CO_TRY(written);
  co_return std::optional<store::ExperimentRow>();
}

Task<Result<k8s::Outcome>> ExperimentReconciler::drive(ObservedExperiment object, store::ExperimentRow row,
                                                       Logger log) {
  if (model::is_terminal(row.state)) {
    driver_.forget(row.id);
    services_.live.forget(row.id);
    DET_CO_TRY(co_await follow_names(object, row));
    names_.forget(to_string(object.key));
    auto followed = co_await follow_policy(object, row);
    DET_CO_TRY(followed);
    row = std::move(*followed);
    const Status retired = co_await trials_.retire(object);
    auto counts = co_await services_.stores.trials.counts(row.id);
    DET_CO_TRY(counts);
    auto next = co_await publisher_.publish(std::move(object), std::move(row), {}, *counts);
    if (next && !retired) co_return std::unexpected(retired.error());
    co_return next;
  }
  auto edited = co_await apply_live_edits(object, row);
  DET_CO_TRY(edited);
  // The trials that have looked already look again.
  if (services_.live.note(row.id, edited->row.live)) trials_.wake(object);
  auto followed = co_await follow_spec(object, std::move(edited->row), log);
  DET_CO_TRY(followed);
  auto search = co_await driver_.advance(*followed, log);
  if (!search && is_lasting(search.error())) {
    services_.events.publish(subject_of(object), k8s::EventType::kWarning, "SearchFailed", search.error().message);
  }
  DET_CO_TRY(search);
  if (search->is_widened && services_.live.widen(followed->id)) trials_.wake(object);
  for (const std::string& complaint : search->complaints) {
    services_.events.publish(subject_of(object), k8s::EventType::kWarning, "ReportNotUsable", complaint);
  }
  if (!search->note.empty()) {
    services_.events.publish(subject_of(object), k8s::EventType::kWarning, "RungsMeasured", search->note);
  }
  const auto wake = [&](model::TrialId trial) {
    services_.wake_trial(object.key.ns + "/" + pods::trial_object_name(object.key.name, trial));
  };
  for (const model::TrialId trial : search->ordered) wake(trial);
  // A program that reported invalid hyperparameters may not end by itself.
  for (const store::TrialRow& trial : search->trials) {
    if (!trial.early_exit.empty() && !model::is_terminal(trial.state)) wake(trial.id);
  }
  const auto made = co_await trials_.ensure(object, *followed, search->trials, log);
  // What the API server forbids stays so for long: the rest, ends above all, must not wait for it.
  if (!made && !is_forbidden(made.error())) co_return std::unexpected(made.error());
  const Status retired = co_await trials_.retire(object);
  DET_CO_TRY(co_await trials_.stop(object, search->to_stop, log));
  if (std::abs(search->progress - followed->progress.value_or(0)) >= kProgressStep) {
    DET_CO_TRY(co_await services_.stores.experiments.set_progress(followed->id, search->progress));
    followed->progress = search->progress;
  }
  std::vector<store::TrialRow> trials = search->trials;
  const store::TrialCounts counts = search->counts;
  auto ended = co_await end_if_over(object, std::move(*followed), std::move(*search), log);
  DET_CO_TRY(ended);
  // Why it is held as a whole says more (delete_history).
  if (!made && object.deleting) co_return std::unexpected(made.error());
  if (!made) {
    edited->refused = Refusal{.reason = "TrialsNotMade", .message = made.error().message, .may_pass = true};
    services_.events.publish(subject_of(object), k8s::EventType::kWarning, "TrialsNotMade", made.error().message);
  }
  auto next = co_await publisher_.publish(std::move(object), std::move(*ended), std::move(trials), counts,
                                          std::move(edited->refused));
  if (next && !retired) co_return std::unexpected(retired.error());
  if (next && !made) {
    const auto* sooner = std::get_if<k8s::CheckAgain>(&*next);
    if (sooner == nullptr || sooner->after > kForbiddenTrials) next = k8s::Outcome(k8s::CheckAgain{kForbiddenTrials});
    co_return next;
  }
  if (next && *made == ExperimentTrials::Made::kSome) co_return k8s::Outcome(k8s::CheckAgain{kMoreTrials});
  co_return next;
}

Task<Result<store::ExperimentRow>> ExperimentReconciler::follow_spec(ObservedExperiment object,
                                                                     store::ExperimentRow row, Logger log) {
  const ExperimentState wanted = wanted_state(object, row.state);
  if (wanted == row.state || !model::may_become(row.state, wanted)) co_return row;
  auto moved = co_await services_.stores.experiments.transition(services_.epoch, row.id, {row.state}, wanted, "");
  if (!moved) co_return std::unexpected(with_context(std::move(moved).error(), "change the experiment's state"));
  log.info("experiment state changed",
           {{"experiment", row.id.value}, {"from", to_string(row.state)}, {"to", to_string(wanted)}});
  row.state = wanted;
  // All trials at once; each one's reconciler would otherwise ask its own, one after another, and still does so if this
  // one dies here.
  if (wanted == ExperimentState::kPaused || wanted == ExperimentState::kStoppingCanceled) {
    auto asked = co_await services_.stores.allocations.request_preemption(row.id);
    DET_CO_TRY(asked);
  }
  co_return row;
}

// Name, description, labels and the limits follow the object.
Task<Result<ExperimentReconciler::EditedRow>> ExperimentReconciler::apply_live_edits(ObservedExperiment object,
                                                                                     store::ExperimentRow row) {
  const auto accepted = accepted_.of(row);
  store::ExperimentPatch patch = names_.of(object, *accepted, row);
  bool any = patch.title || patch.description || patch.labels;
  std::optional<Refusal> refused;
  if (const json wished = live_settings(*accepted, object.config); wished != row.live) {
    auto policies = co_await services_.stores.config_policies.of_project(row.project, model::WorkloadType::kExperiment);
    DET_CO_TRY(policies);
    auto checked = co_await allow_move(services_, row, allow_settings(wished, row.live, *policies));
    DET_CO_TRY(checked);
    AllowedSettings& allowed = *checked;
    refused = std::move(allowed.objection);
    any = any || allowed.live != row.live;
    row.live = std::move(allowed.live);
    patch.live = row.live;
  }
  if (any) {
    auto patched = co_await services_.stores.experiments.patch(row.id, patch);
    DET_CO_TRY(patched);
  }
  names_.note(object);
  co_return EditedRow{.row = std::move(row), .refused = std::move(refused)};
}

// Also of what is over: people file their experiments afterwards.
Task<Status> ExperimentReconciler::follow_names(const ObservedExperiment& object, store::ExperimentRow& row) {
  if (row.state == ExperimentState::kDeleting) co_return Status{};
  const store::ExperimentPatch patch = names_.of(object, *accepted_.of(row), row);
  if (!patch.title && !patch.description && !patch.labels) co_return Status{};
  auto patched = co_await services_.stores.experiments.patch(row.id, patch);
  DET_CO_TRY(patched);
  co_return Status{};
}

// After its end, what is saved of its checkpoints is the only setting that follows the object.
Task<Result<store::ExperimentRow>> ExperimentReconciler::follow_policy(ObservedExperiment object,
                                                                       store::ExperimentRow row) {
  if (row.state == ExperimentState::kDeleting) co_return row;
  json live = row.live.is_object() ? row.live : json::object();
  const json wished = live_settings(*accepted_.of(row), object.config);
  for (const char* name : {"save_experiment_best", "save_trial_best", "save_trial_latest"}) {
    live.erase(name);
    if (wished.contains(name)) live[name] = wished.at(name);
  }
  if (model::gc_policy_of(row.config, live) == model::gc_policy_of(row.config, row.live)) co_return row;
  auto policies = co_await services_.stores.config_policies.of_project(row.project, model::WorkloadType::kExperiment);
  DET_CO_TRY(policies);
  row.live = allow_settings(live, row.live, *policies).live;
  store::ExperimentPatch patch;
  patch.live = row.live;
  DET_CO_TRY(co_await services_.stores.experiments.patch(row.id, patch));
  DET_CO_TRY(co_await services_.stores.removals.policy_changed(row.id));
  co_return row;
}

Task<Result<store::ExperimentRow>> ExperimentReconciler::end_if_over(ObservedExperiment object,
                                                                     store::ExperimentRow row, SearchState search,
                                                                     Logger log) {
  std::optional<ExperimentState> over;
  if (search.is_over) {
    over = search.is_failed     ? ExperimentState::kError
           : search.is_canceled ? ExperimentState::kCanceled
                                : ExperimentState::kCompleted;
  }
  // A kill or cancel decides how it ends, whatever the trials did meanwhile.
  if (model::is_stopping(row.state) && all_over(search.trials)) over = model::state_after_stopping(row.state);
  if (!over) co_return row;
  std::string message;
  if (*over == ExperimentState::kError) {
    auto failed = co_await services_.stores.trials.first_failed(row.id);
    DET_CO_TRY(failed);
    message = *failed ? "trial " + to_string((*failed)->id) + ": " + (*failed)->exit_reason : "the search failed";
  } else if (*over == ExperimentState::kCanceled) {
    message = object.stop == StopRequest::kKill ? "killed" : "canceled";
  }
  auto moved = co_await services_.stores.experiments.transition(services_.epoch, row.id, live_experiment_states(),
                                                                *over, message);
  if (!moved) co_return std::unexpected(with_context(std::move(moved).error(), "end the experiment"));
  log.info("experiment ended", {{"experiment", row.id.value}, {"state", to_string(*over)}});
  if (*over == ExperimentState::kError) {
    services_.events.publish(subject_of(object), k8s::EventType::kWarning, "Failed", message);
  }
  auto fresh = co_await services_.stores.experiments.find(row.id);
  DET_CO_TRY(fresh);
  if (*fresh) row = std::move(**fresh);
  co_return row;
}

}  // namespace det::op
