#include "operator/experiment/status_publisher.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "model/expconf/config_warnings.h"
#include "operator/experiment/live_settings.h"
#include "operator/live_states.h"
#include "pods/pod_env.h"
#include "pods/slot_resources.h"

namespace det::op {
namespace {

using model::ExperimentState;
using nlohmann::json;

constexpr std::chrono::seconds kEndLook{1};
// Of one whose trials all wait: what happens to them wakes it.
constexpr std::chrono::seconds kIdleInterval{30};

}  // namespace

// Once: from then on its condition says it.
void StatusPublisher::tell_of_missing_metric(const ObservedExperiment& object, const ExperimentFacts& facts) {
  if (facts.other_metrics.empty()) return;
  for (const json& condition : get_array(object.status, "conditions")) {
    if (get_string(condition, "type") == kMetricReported) return;
  }
  services_.events.publish(subject_of(object), k8s::EventType::kWarning, "NoSuchMetric", metric_message(facts));
}

Task<Result<k8s::Outcome>> StatusPublisher::publish(ObservedExperiment object, store::ExperimentRow row,
                                                    std::vector<store::TrialRow> open, store::TrialCounts counts,
                                                    std::optional<Refusal> objection) {
  const bool over = model::is_terminal(row.state);
  auto best = co_await services_.stores.experiments.best_trial(row.id);
  DET_CO_TRY(best);
  ExperimentFacts facts;
  facts.best = *best;
  if (!*best) {
    auto reported = co_await services_.stores.experiments.validation_metrics(row.id);
    DET_CO_TRY(reported);
    facts.other_metrics = std::move(*reported);
    // Reported without a number, it is none the less the right name.
    const std::string wanted = get_string(get_any(row.config, "searcher"), "metric");
    if (std::ranges::find(facts.other_metrics, wanted) != facts.other_metrics.end()) facts.other_metrics.clear();
  }
  facts.trials = counts;
  facts.slots_per_trial = static_cast<int>(get_integer(get_any(row.config, "resources"), "slots_per_trial"));
  std::unordered_set<std::int64_t> live;
  for (const auto& trial : open) {
    if (!over && !model::is_terminal(trial.state)) live.insert(trial.id.value);
  }
  for (const auto& [key, trial] : services_.informers.trials.by_index(kByOwner, object.uid)) {
    if (!live.contains(trial->head.trial_id)) continue;
    if (trial->state == "RUNNING") ++facts.running_trials;
    note_wait(facts, *trial);
    if (!facts.stalled_trial && trial->stalled)
      facts.stalled_trial = "trial " + std::to_string(trial->head.trial_id) + ": " + *trial->stalled;
  }
  const auto accepted = accepted_.of(row);
  // Of what is going nobody corrects the configuration.
  if (!object.deleting)
    facts.objection = object_to_changes(*accepted, object.config, row.config, !object.template_name.empty());
  add_refusal(facts.objection, std::move(objection));
  if (!over) add_refusal(facts.objection, objection_to_removed(*accepted, object.config));
  facts.warnings = model::config_warnings(*accepted, json(), row.config);
  auto idle = model::idle_priority(services_.settings.master.scheduler.type, *accepted, json());
  if (idle) facts.warnings.push_back(std::move(*idle));
  model::ResourcesConfig resources;
  resources.slots_per_trial = facts.slots_per_trial;
  resources.resource_pool = get_string(get_any(row.config, "resources"), "resource_pool");
  const model::SlotRule slots = pods::slots_of(services_.settings, resources);
  std::ranges::move(pods::overruled_fields(*accepted, slots, std::min(facts.slots_per_trial, slots.max_per_pod)),
                    std::back_inserter(facts.warnings));
  std::ranges::move(pods::overruled_variables(*accepted, true), std::back_inserter(facts.warnings));
  facts.warnings.insert(facts.warnings.end(), object.warnings.begin(), object.warnings.end());
  facts.row = std::move(row);
  const bool is_running = facts.running_trials > 0;
  json wanted = experiment_status(object, facts, services_.clock.wall_now());
  tell_of_missing_metric(object, facts);
  const std::string key = to_string(object.key);
  const k8s::Outcome next = facts.row.state == ExperimentState::kPaused
                                ? k8s::Outcome(k8s::AwaitChange{})
                                : k8s::Outcome(k8s::CheckAgain{is_running ? kProgressInterval : kIdleInterval});
  const auto delay = pace_.delay(key, object.status, wanted, over, services_.clock.steady_now());
  if (delay && delay->count() > 0) co_return k8s::Outcome(k8s::CheckAgain{*delay});
  if (delay) {
    auto written = co_await write_status(services_.client, k8s::experiments(), object.key, object.status, wanted);
    DET_CO_TRY(written);
    pace_.written(key, object.status, wanted, services_.clock.steady_now());
  }
  // One more look at an end that was only just said: an object that continues an experiment adopts the row while it is
  // still over, and the notification that it was revived may come before our copy of the object has the id by which it
  // is found.
  if (over && delay) co_return k8s::Outcome(k8s::CheckAgain{kEndLook});
  co_return over ? k8s::Outcome(k8s::Done{}) : next;
}

Task<Status> StatusPublisher::publish_deletion(ObservedExperiment object, std::optional<Refusal> held) {
  // Its state is another one since it was asked to go.
  auto row = co_await services_.stores.experiments.find_by_uid(object.uid);
  DET_CO_TRY(row);
  if (*row) {
    auto counts = co_await services_.stores.trials.counts((**row).id);
    DET_CO_TRY(counts);
    const auto told = co_await publish(std::move(object), std::move(**row), {}, *counts, std::move(held));
    DET_CO_TRY(told);
    co_return Status{};
  }
  if (!held) co_return Status{};
  json wanted = object.status.is_object() ? object.status : json::object();
  wanted["conditions"] = stall(object, held->reason, held->message, services_.clock.wall_now());
  co_return co_await write_status(services_.client, k8s::experiments(), object.key, object.status, std::move(wanted));
}

}  // namespace det::op
