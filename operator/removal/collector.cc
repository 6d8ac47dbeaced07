#include "operator/removal/collector.h"

#include <algorithm>
#include <utility>

#include "base/race.h"
#include "model/cluster/task_namespaces.h"
#include "operator/gang/gang_backend.h"
#include "operator/namespace_life.h"
#include "operator/removal/removal_task.h"
#include "operator/removal/remove_object.h"

namespace det::op {
namespace {

constexpr std::chrono::seconds kInterval{60};
constexpr std::chrono::seconds kRetry{5};
constexpr std::chrono::seconds kOpenLook{1};
constexpr std::chrono::hours kBetweenSweeps{1};

}  // namespace

Task<void> Collector::run() {
  for (;;) {
    const auto seen = wake_.version();
    auto next = co_await look();
    if (!next)
      log_.warn("removals could not be looked at; the next look tries again", {{"error", next.error().message}});
    co_await wait_on_clock(wake_, seen, services_.clock, next.value_or(kRetry));
  }
}

Task<Result<std::chrono::nanoseconds>> Collector::look() {
  next_.reset();
  // For people only.
  if (const Status told = co_await tell_of_held(); !told) {
    log_.debug("what is held was not counted", {{"error", told.error().message}});
  }
  bool any_failed = false;
  // What cannot be planned keeps nothing else from going.
  if (const Status planned = co_await plan(); !planned) {
    any_failed = true;
    log_.warn("the removals of ended experiments were not all planned; the next look tries again",
              {{"error", planned.error().message}});
  }
  for (std::optional<std::int64_t> after = 0; after;) {
    auto pending = co_await services_.stores.removals.pending(*after);
    DET_CO_TRY(pending);
    const bool has_more = pending->size() == store::RemovalStore::kMostPending;
    after = has_more ? std::optional(pending->back().id) : std::nullopt;
    for (store::Removal& removal : *pending) {
      const std::int64_t id = removal.id;
      const Status done = co_await advance(std::move(removal));
      if (done) {
        said_.erase(id);
        continue;
      }
      any_failed = true;
      if (std::exchange(said_[id], done.error().message) == done.error().message) continue;
      log_.warn("a removal does not get on; it is tried again", {{"removal", id}, {"error", done.error().message}});
    }
  }
  DET_CO_TRY(co_await remove_emptied());
  DET_CO_TRY(co_await remove_places());
  DET_CO_TRY(co_await sweep_code());
  if (any_failed) co_return std::chrono::nanoseconds(kRetry);
  if (!next_) co_return std::chrono::nanoseconds(kInterval);
  const std::chrono::nanoseconds wait = *next_ - services_.clock.wall_now();
  co_return std::clamp<std::chrono::nanoseconds>(wait, std::chrono::milliseconds(100), kInterval);
}

Task<Status> Collector::plan() {
  for (;;) {
    auto planned = co_await services_.stores.removals.plan_due(services_.epoch);
    if (!planned) co_return co_await plan_one_by_one();
    if (planned->has_later) look_at(services_.clock.wall_now() + kOpenLook);
    if (planned->experiments < store::RemovalStore::kMostDue) co_return Status{};
  }
}

Task<Status> Collector::plan_one_by_one() {
  Status failed;
  for (std::int64_t after = 0;;) {
    const auto due = co_await services_.stores.removals.due(after);
    DET_CO_TRY(due);
    for (const model::ExperimentId id : *due) {
      after = id.value;
      const auto planned = co_await services_.stores.removals.plan_due(services_.epoch, id);
      if (planned) continue;
      failed = std::unexpected(with_context(planned.error(), "experiment " + to_string(id)));
      // The database is away, or another leads: no use in asking for each.
      const ErrorCode code = planned.error().code;
      if (code == ErrorCode::kUnavailable || code == ErrorCode::kFailedPrecondition) co_return failed;
    }
    if (std::ssize(*due) < store::RemovalStore::kMostDue) co_return failed;
  }
}

void Collector::look_at(WallTime time) {
  next_ = std::min(next_.value_or(time), time);
}

Task<Status> Collector::advance(store::Removal removal) {
  if (!removal.task_id.empty()) co_return co_await follow(std::move(removal));
  if (removal.next_try > services_.clock.wall_now()) {
    look_at(removal.next_try);
    co_return Status{};
  }
  co_return co_await start(std::move(removal));
}

Task<Status> Collector::start(store::Removal removal) {
  auto named = co_await services_.stores.experiments.find_named(removal.experiment);
  DET_CO_TRY(named);
  if (!*named) co_return Status{};  // deleted meanwhile, and this with it
  const store::ExperimentRow& experiment = (**named).row;
  const auto ns = co_await namespace_for(experiment);
  DET_CO_TRY(ns);
  if (ns->empty()) {
    std::string why = "namespace " + experiment.ns + " is gone, and no pod may remove its files from another one";
    co_return co_await leave_files(std::move(removal), experiment.state, std::move(why));
  }
  const Status enabled = model::check_task_namespace(services_.settings.master.task_namespaces, *ns);
  auto task = removal_task(services_.settings, removal, experiment, (**named).workspace, removal.attempts + 1, *ns);
  if (!task && *ns != experiment.ns && task.error().code == ErrorCode::kFailedPrecondition) {
    co_return co_await leave_files(std::move(removal), experiment.state, task.error().message);
  }
  if (!enabled || !task) {
    ++removal.attempts;
    co_return co_await note_failure(std::move(removal), (enabled ? task.error() : enabled.error()).message);
  }
  auto row = co_await services_.stores.removals.start(services_.epoch, removal.id, std::move(*task));
  DET_CO_TRY(row);
  log_.info("files are being removed", {{"experiment", experiment.id.value},
                                        {"removal", removal.id},
                                        {"checkpoints", removal.uuids.size()},
                                        {"tensorboard", removal.tensorboard},
                                        {"why", removal.reason},
                                        {"task", row->id}});
  co_return co_await make_object(std::move(*row), experiment);
}

Task<Result<std::string>> Collector::namespace_for(store::ExperimentRow experiment) {
  const KeptExperiment* kept = object_of(experiment);
  if (kept != nullptr && !kept->head.deleting) co_return std::move(experiment.ns);
  const auto life = co_await namespace_life(services_.client, experiment.ns);
  DET_CO_TRY(life);
  if (*life == NamespaceLife::kThere) co_return std::move(experiment.ns);
  const auto& enabled = services_.settings.master.task_namespaces;
  const bool is_usable =
      !default_ns_.empty() && default_ns_ != experiment.ns && model::is_task_namespace(enabled, default_ns_);
  co_return is_usable ? default_ns_ : std::string();
}

Task<Status> Collector::leave_files(store::Removal removal, model::ExperimentState state, std::string why) {
  const bool is_deleting = state == model::ExperimentState::kDeleting;
  if (is_deleting && unreachable_[removal.experiment].is_told) {
    log_.warn("an experiment is deleted without its files", {{"experiment", removal.experiment.value}, {"why", why}});
    co_return co_await services_.stores.removals.finish(services_.epoch, removal.id);
  }
  if (is_deleting) unreachable_[removal.experiment].why = why;
  ++removal.attempts;
  co_return co_await note_failure(std::move(removal), std::move(why), true);
}

Task<Status> Collector::make_object(store::TaskRow task, store::ExperimentRow experiment) {
  // One in another namespace would be taken for an orphan.
  const std::string owner = task.ns == experiment.ns ? owner_uid(experiment) : std::string();
  nlohmann::json object = removal_object(services_.settings.controller_class, task, experiment, owner);
  const std::string name = task.name;
  auto made = co_await create_owned(services_.client, k8s::tasks(), task.ns, std::move(object));
  if (!made) co_return std::unexpected(with_context(std::move(made).error(), "create Task " + name));
  co_return Status{};
}

const KeptExperiment* Collector::object_of(const store::ExperimentRow& experiment) const {
  const KeptExperiment* kept = services_.informers.experiments.find({.ns = experiment.ns, .name = experiment.name});
  return kept != nullptr && kept->head.uid == experiment.uid ? kept : nullptr;
}

// Of the owner of a Task; empty: none, as one that is being deleted would take it along.
std::string Collector::owner_uid(const store::ExperimentRow& experiment) const {
  const KeptExperiment* kept = object_of(experiment);
  return kept != nullptr && !kept->head.deleting ? experiment.uid : std::string();
}

Task<Status> Collector::follow(store::Removal removal) {
  auto task = co_await services_.stores.tasks.find(removal.task_id);
  DET_CO_TRY(task);
  if (!*task) co_return co_await note_failure(std::move(removal), "its task is gone");
  if (model::is_terminal((**task).state)) {
    if ((**task).state != model::TaskState::kCompleted) {
      co_return co_await note_failure(std::move(removal), (**task).exit_reason);
    }
    // Before the removal is over: after that nobody would look for it. A task that failed stays to be looked at.
    const Status gone =
        co_await remove_object(services_, k8s::tasks(), {.ns = (**task).ns, .name = (**task).name}, (**task).uid);
    // A Role of an earlier version does not grant it, or the namespace is not enabled any more; then the object stays
    // until its experiment's goes.
    const bool may_stay = !gone && (gone.error().code == ErrorCode::kPermissionDenied ||
                                    gone.error().code == ErrorCode::kFailedPrecondition);
    if (!gone && !may_stay) co_return gone;
    DET_CO_TRY(co_await services_.stores.removals.finish(services_.epoch, removal.id));
    log_.info(
        "files were removed",
        {{"experiment", removal.experiment.value}, {"removal", removal.id}, {"checkpoints", removal.uuids.size()}});
    wake_.notify_all();  // the experiment's next one
    co_return Status{};
  }
  const Status enabled = model::check_task_namespace(services_.settings.master.task_namespaces, (**task).ns);
  if (!enabled) co_return co_await note_failure(std::move(removal), enabled.error().message);  // nobody would end it
  if (!(**task).uid.empty()) co_return Status{};
  // Killed between the row and the object.
  auto experiment = co_await services_.stores.experiments.find(removal.experiment);
  DET_CO_TRY(experiment);
  if (!*experiment) co_return Status{};
  co_return co_await make_object(std::move(**task), std::move(**experiment));
}

Task<Status> Collector::note_failure(store::Removal removal, std::string why, bool is_final) {
  const auto back_off = is_final ? std::nullopt : removal_back_off(removal.attempts);
  std::optional<WallTime> next_try;
  if (back_off) next_try = services_.clock.wall_now() + *back_off;
  DET_CO_TRY(co_await services_.stores.removals.note_failure(services_.epoch, removal.id, why, next_try));
  if (next_try) look_at(*next_try);
  const std::string what =
      std::to_string(removal.uuids.size()) + " checkpoints" + (removal.tensorboard ? " and the TensorBoard files" : "");
  const std::string message = "the files of " + what + " could not be removed (attempt " +
                              std::to_string(removal.attempts) + "): " + why +
                              (back_off   ? "; it is tried again"
                               : is_final ? "; given up"
                                          : "; given up: see the log of the task, and ask for it again");
  log_.warn("files could not be removed", {{"experiment", removal.experiment.value},
                                           {"removal", removal.id},
                                           {"attempts", removal.attempts},
                                           {"is_given_up", !back_off},
                                           {"task", removal.task_id},
                                           {"why", why}});
  auto experiment = co_await services_.stores.experiments.find(removal.experiment);
  DET_CO_TRY(experiment);
  if (!*experiment || object_of(**experiment) == nullptr) co_return Status{};
  services_.events.publish({.resource = k8s::experiments(),
                            .key = {.ns = (**experiment).ns, .name = (**experiment).name},
                            .uid = (**experiment).uid},
                           k8s::EventType::kWarning, back_off ? "RemovalFailed" : "RemovalGivenUp", message);
  co_return Status{};
}

Task<Status> Collector::remove_emptied() {
  auto emptied = co_await services_.stores.removals.emptied(emptied_after_);
  DET_CO_TRY(emptied);
  // Those that cannot go, as of a namespace that is not enabled any more, must not hide the others.
  const bool has_more = emptied->size() == store::RemovalStore::kMostEmptied;
  if (has_more) look_at(services_.clock.wall_now() + kRetry);
  emptied_after_ = has_more ? emptied->back().experiment.value : 0;
  for (const auto& one : *emptied) {
    if (one.is_clean) {
      const Status removed = co_await remove_experiment(one.experiment);
      if (!removed && removed.error().code == ErrorCode::kFailedPrecondition) {
        DET_CO_TRY(co_await give_up(one.experiment, removed.error().message + "; enable it and delete this again"));
      } else if (!removed) {
        log_.warn("an experiment without files could not be deleted; the next look tries again",
                  {{"experiment", one.experiment.value}, {"error", removed.error().message}});
      }
      continue;
    }
    const auto known = unreachable_.find(one.experiment);
    if (known == unreachable_.end()) {
      DET_CO_TRY(co_await give_up(one.experiment, "its files could not be removed; delete it again to try again"));
      continue;
    }
    DET_CO_TRY(co_await give_up(one.experiment, known->second.why + "; delete it again to delete the rest of it"));
    known->second.is_told = true;
  }
  co_return Status{};
}

Task<Status> Collector::give_up(model::ExperimentId id, std::string why) {
  log_.warn("an experiment could not be deleted", {{"experiment", id.value}, {"why", why}});
  DET_CO_TRY(co_await services_.stores.experiments.transition(services_.epoch, id, {model::ExperimentState::kDeleting},
                                                              model::ExperimentState::kDeleteFailed, std::move(why)));
  co_return Status{};
}

// The object first: a reconciler that saw it without its row would accept it as a new experiment.
Task<Status> Collector::remove_experiment(model::ExperimentId id) {
  auto row = co_await services_.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return Status{};
  DET_CO_TRY(co_await remove_its_object(std::move(**row)));
  DET_CO_TRY(co_await services_.stores.experiments.remove(id));
  unreachable_.erase(id);
  log_.info("experiment deleted", {{"experiment", id.value}});
  co_return Status{};
}

// Where its namespace is going or gone the object is, too, and with the Role there the right to say so. One that waits
// for its finalizer is no new experiment to anybody.
Task<Status> Collector::remove_its_object(store::ExperimentRow experiment) {
  const Status removed = co_await remove_object(services_, k8s::experiments(),
                                                {.ns = experiment.ns, .name = experiment.name}, experiment.uid);
  if (removed || (removed.error().code != ErrorCode::kPermissionDenied &&
                  removed.error().code != ErrorCode::kFailedPrecondition)) {
    co_return removed;
  }
  const auto life = co_await namespace_life(services_.client, experiment.ns);
  DET_CO_TRY(life);
  co_return *life == NamespaceLife::kThere ? removed : Status{};
}

Task<Status> Collector::remove_places() {
  const auto waits = co_await places_.look();
  DET_CO_TRY(waits);
  if (*waits) look_at(services_.clock.wall_now() + kOpenLook);
  co_return Status{};
}

Task<Status> Collector::tell_of_held() {
  if (told_of_held_) co_return Status{};
  auto held = co_await services_.stores.removals.held();
  DET_CO_TRY(held);
  told_of_held_ = true;
  if (held->checkpoints == 0) co_return Status{};
  log_.warn(
      "experiments that ended before this version keep all their checkpoints; `det checkpoint release-held` makes them "
      "subject to their save_* policies",
      {{"experiments", held->experiments}, {"checkpoints", held->checkpoints}, {"bytes", held->bytes}});
  co_return Status{};
}

Task<Status> Collector::sweep_code() {
  const WallTime now = services_.clock.wall_now();
  if (code_swept_ && now - *code_swept_ < kBetweenSweeps) co_return Status{};
  auto swept = co_await services_.stores.removals.sweep_model_definitions();
  DET_CO_TRY(swept);
  code_swept_ = now;
  if (*swept > 0) log_.info("model code that nothing refers to was removed", {{"definitions", *swept}});
  co_return Status{};
}

}  // namespace det::op
