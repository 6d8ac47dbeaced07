#include "operator/experiment/experiment_trials.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/at_once.h"
#include "base/json_get.h"
#include "model/expconf/experiment_config.h"
#include "model/slots.h"
#include "operator/gang/gang_backend.h"
#include "operator/gang/run_log.h"
#include "operator/trial/trial_facts.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

// Calls to the Kubernetes API of one experiment that are under way at a time.
constexpr std::size_t kAtOnce = 8;
// Objects made before the experiment is looked at again: about two seconds of an API server that makes 40 of them a
// second.
constexpr std::size_t kMostMade = 100;

}  // namespace

Task<Result<ExperimentTrials::Made>> ExperimentTrials::ensure(const ObservedExperiment& object,
                                                              const store::ExperimentRow& row,
                                                              std::vector<store::TrialRow> trials, Logger log) {
  // Of an experiment that is being ended, and those that somebody killed.
  const auto goes = [ends = model::is_stopping(row.state)](const store::TrialRow& trial) {
    return trial.uid.empty() && (ends || was_killed(trial));
  };
  std::vector<store::TrialRow> going;
  std::ranges::copy_if(trials, std::back_inserter(going), goes);
  DET_CO_TRY(co_await end_unmade(object, std::move(going)));
  std::erase_if(trials, goes);
  trials = trials_with_objects(std::move(trials));
  for (const store::TrialRow& trial : trials) {
    // Created, and then the operator ended, or the database went, before its uid was written.
    const KeptTrial* kept = trial.uid.empty() ? find_object(object, trial) : nullptr;
    if (kept == nullptr || kept->head.owner_uid != object.uid) continue;
    DET_CO_TRY(co_await services_.stores.trials.set_uid(trial.id, kept->head.uid, object.uid));
  }
  std::erase_if(trials, [&](const store::TrialRow& trial) { return find_object(object, trial) != nullptr; });
  if (trials.empty()) co_return Made::kAll;
  const Made made = trials.size() > kMostMade ? Made::kSome : Made::kAll;
  if (made == Made::kSome) trials.erase(std::next(trials.begin(), kMostMade), trials.end());
  const auto config = model::read_experiment_config(row.config);
  DET_CO_TRY(config);
  const int most = pods::slots_of(services_.settings, config->resources).max_per_pod;  // of its pool, now
  const auto gang = model::gang_shape(config->resources.slots_per_trial, most);
  const TrialShape shape{.slots = config->resources.slots_per_trial,
                         .pods = gang && !config->resources.is_single_node ? gang->pods : 1};
  auto make_one = [this, &object, shape, &log](store::TrialRow trial) {
    return make(object, shape, std::move(trial), log);
  };
  DET_CO_TRY(co_await for_each_at_once(std::move(trials), kAtOnce, make_one));
  co_return made;
}

const KeptTrial* ExperimentTrials::find_object(const ObservedExperiment& object, const store::TrialRow& trial) const {
  return services_.informers.trials.find({object.key.ns, pods::trial_object_name(object.key.name, trial.id)});
}

// It would take an object to end each, which a quota may forbid.
Task<Status> ExperimentTrials::end_unmade(const ObservedExperiment& object, std::vector<store::TrialRow> trials) {
  std::erase_if(trials, [&](const store::TrialRow& trial) {
    return model::is_terminal(trial.state) || find_object(object, trial) != nullptr;
  });
  if (trials.empty()) co_return Status{};
  auto end = [this](store::TrialRow trial) { return end_one(std::move(trial)); };
  DET_CO_TRY(co_await for_each_at_once(std::move(trials), kAtOnce, end));
  services_.wake_experiment(to_string(object.key));
  co_return Status{};
}

Task<Status> ExperimentTrials::end_one(store::TrialRow trial) {
  store::TrialEnd end = abandoned(trial, trial.run == 0 ? "canceled before it ran" : "canceled");
  co_await write_abandoned(services_.stores.logs, services_.clock, trial, end.reason);
  auto ended = co_await services_.stores.trials.end(services_.epoch, trial.id, std::move(end));
  if (!ended) co_return std::unexpected(with_context(std::move(ended).error(), "end trial " + to_string(trial.id)));
  co_return Status{};
}

Task<Status> ExperimentTrials::make(const ObservedExperiment& object, TrialShape shape, store::TrialRow trial,
                                    Logger log) {
  const k8s::ObjectKey key{.ns = object.key.ns, .name = pods::trial_object_name(object.key.name, trial.id)};
  if (trial.uid.empty()) {
    json wanted = build_trial(object, services_.settings.controller_class, trial, shape);
    auto created = co_await create_owned(services_.client, k8s::trials(), key.ns, std::move(wanted));
    if (!created) co_return std::unexpected(with_context(std::move(created).error(), "create trial " + key.name));
    log.info("trial created", {{"experiment", trial.experiment.value}, {"trial", trial.id.value}});
    std::string uid = get_string(get_any(*created, "metadata"), "uid");
    co_return co_await services_.stores.trials.set_uid(trial.id, std::move(uid), object.uid);
  }
  // It was made before. Our copy may be behind; the server knows whether someone deleted it.
  auto live = co_await services_.client.get(k8s::trials(), key);
  if (live) co_return Status{};
  if (live.error().code != ErrorCode::kNotFound) co_return std::unexpected(std::move(live).error());
  const std::string why = "the Trial object was deleted";
  co_await write_abandoned(services_.stores.logs, services_.clock, trial, why);
  auto ended = co_await services_.stores.trials.end(services_.epoch, trial.id, abandoned(trial, why));
  DET_CO_TRY(ended);
  services_.wake_experiment(to_string(object.key));
  // Those that wait for the experiment's limits may have room now; no run of this one will say so.
  wake(object);
  co_return Status{};
}

// Nothing is lost with them: the database has it all.
Task<Status> ExperimentTrials::retire(const ObservedExperiment& object) {
  std::vector<FinishedTrial> finished;
  for (const auto& [key, trial] : services_.informers.trials.by_index(kByOwner, object.uid)) {
    if (is_finished(*trial)) finished.push_back({.id = trial->head.trial_id, .key = key, .uid = trial->head.uid});
  }
  auto remove = [this](FinishedTrial trial) { return retire_one(std::move(trial)); };
  co_return co_await for_each_at_once(trials_to_retire(std::move(finished)), kAtOnce, remove);
}

Task<Status> ExperimentTrials::retire_one(FinishedTrial trial) {
  k8s::DeleteOptions options;
  options.uid = trial.uid;
  auto gone = co_await services_.client.remove(k8s::trials(), trial.key, options);
  if (!gone) co_return std::unexpected(with_context(std::move(gone).error(), "delete trial " + trial.key.name));
  co_return Status{};
}

// The row says that the search is done with the trial; the trial's reconciler then sends the preemption signal.
Task<Status> ExperimentTrials::stop(ObservedExperiment object, std::vector<model::TrialId> trials, Logger log) {
  using model::TrialState;
  for (const model::TrialId id : trials) {
    auto moved =
        co_await services_.stores.trials.transition(services_.epoch, id, {TrialState::kActive, TrialState::kPaused},
                                                    TrialState::kStoppingCompleted, "stopped by the searcher");
    // Whatever the answer: a commit whose answer was lost has moved it, and no later look stops it again.
    services_.wake_trial(object.key.ns + "/" + pods::trial_object_name(object.key.name, id));
    if (!moved) co_return std::unexpected(with_context(std::move(moved).error(), "stop trial " + to_string(id)));
    if (*moved) log.info("trial stopped by the searcher", {{"trial", id.value}});
  }
  co_return Status{};
}

void ExperimentTrials::wake(const ObservedExperiment& object) {
  for (const auto& [key, trial] : services_.informers.trials.by_index(kByOwner, object.uid)) {
    services_.wake_trial(to_string(key));
  }
}

}  // namespace det::op
