#include "cli/experiment_ending.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/short_number.h"
#include "cli/text.h"

namespace det::cli {
namespace {

// An experiment is over a moment after its last trial.
constexpr std::chrono::milliseconds kPause{100};
constexpr int kLooks = 50;

std::string path_of(const char* kind, std::int64_t id) {
  return "/api/v1/" + std::string(kind) + "/" + std::to_string(id);
}

Task<Result<Json>> get_one(MasterClient& client, const char* kind, const char* name, std::int64_t id) {
  const auto answer = co_await client.get(path_of(kind, id));
  DET_CO_TRY(answer);
  co_return field(*answer, name);
}

// Once the experiment is over, or while trials besides the one that was followed go on.
Task<Result<Json>> settled(World& world, MasterClient& client, std::int64_t id, std::int64_t followed) {
  for (int looks = 1;; ++looks) {
    auto experiment = co_await get_one(client, "experiments", "experiment", id);
    DET_CO_TRY(experiment);
    if (is_end(state_text(field(*experiment, "state"))) || looks == kLooks) co_return experiment;
    const auto trials = co_await client.get(path_of("experiments", id) + "/trials");
    DET_CO_TRY(trials);
    const Json list = field(*trials, "trials");
    const bool goes_on = std::any_of(list.begin(), list.end(), [followed](const Json& trial) {
      return integer_field(trial, "id") != followed && !is_end(state_text(field(trial, "state")));
    });
    if (goes_on) co_return experiment;
    co_await world.clock.sleep_for(kPause);
  }
}

std::string reported_names(const Json& trial) {
  std::string names;
  const Json metrics = field(field(trial, "summaryMetrics"), "validation_metrics");
  if (!metrics.is_object()) return names;
  for (const auto& [name, value] : metrics.items()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

Task<Status> tell_best(World& world, MasterClient& client, const Json& experiment, std::int64_t followed) {
  const std::string metric = text_field(experiment, "searcherMetric");
  const Json best = field(experiment, "bestTrialId");
  if (best.is_null()) {
    const auto trial = co_await get_one(client, "trials", "trial", followed);
    DET_CO_TRY(trial);
    const std::string names = reported_names(*trial);
    world.out << "No trial reported " << metric << ", the metric of the search"
              << (names.empty() ? ": there was no validation" : "; reported: " + names) << std::endl;
    co_return Status();
  }
  const auto trial = co_await get_one(client, "trials", "trial", best.get<std::int64_t>());
  DET_CO_TRY(trial);
  world.out << "Best " << metric << ": " << short_number(metric_number(field(experiment, "bestTrialSearcherMetric")))
            << ", of trial " << best.get<std::int64_t>() << std::endl;
  const std::string uuid = text_field(field(*trial, "bestCheckpoint"), "uuid");
  if (!uuid.empty()) {
    world.out << "Its checkpoint: " << uuid << "; 'det checkpoint download " << uuid << "' fetches it" << std::endl;
  }
  co_return Status();
}

}  // namespace

Task<Result<int>> tell_ending(World& world, MasterClient client, std::int64_t experiment, std::int64_t trial) {
  const std::string id = std::to_string(experiment);
  const auto now = co_await settled(world, client, experiment, trial);
  DET_CO_TRY(now);
  const std::string state = state_text(field(*now, "state"));
  if (!is_end(state)) {
    const auto followed = co_await get_one(client, "trials", "trial", trial);
    DET_CO_TRY(followed);
    const std::string ended = state_text(field(*followed, "state"));
    world.out << "Trial " << trial << " ended as " << ended << "; experiment " << id
              << " goes on with others: 'det experiment describe " << id << "'" << std::endl;
    co_return ended == "COMPLETED" ? kDone : kFailed;
  }
  world.out << "Experiment " << id << " " << (state == "COMPLETED" ? "completed" : "ended as " + state) << std::endl;
  DET_CO_TRY(co_await tell_best(world, client, *now, trial));
  co_return state == "COMPLETED" ? kDone : kFailed;
}

}  // namespace det::cli
