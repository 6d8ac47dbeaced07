#include "cli/first_trial.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "cli/experiment_ending.h"
#include "cli/log_query.h"
#include "cli/text.h"

namespace det::cli {
namespace {

// The lowest id among the experiment's trials, as soon as there is one. An experiment that ended without a trial says
// so instead of letting people wait.
Task<Result<std::int64_t>> first_trial(World& world, MasterClient client, std::int64_t experiment) {
  const std::string path = "/api/v1/experiments/" + std::to_string(experiment);
  for (int polls = 1;; ++polls) {
    const auto answer = co_await client.get(path + "/trials");
    DET_CO_TRY(answer);
    std::optional<std::int64_t> lowest;
    const Json trials = field(*answer, "trials");
    for (const Json& trial : trials) {
      const std::int64_t id = integer_field(trial, "id");
      lowest = std::min(lowest.value_or(id), id);
    }
    if (lowest) co_return *lowest;
    if (polls % 10 == 0) {
      const auto now = co_await client.get(path);
      DET_CO_TRY(now);
      const std::string state = state_text(field(field(*now, "experiment"), "state"));
      if (is_end(state)) {
        co_return fail(ErrorCode::kFailedPrecondition,
                       "experiment " + std::to_string(experiment) + " ended as " + state + " before a trial began");
      }
    }
    co_await world.clock.sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

Task<Result<int>> follow_first_trial(World& world, MasterClient client, std::int64_t experiment) {
  const std::string id = std::to_string(experiment);
  world.doing = "follow experiment " + id;
  world.on_interrupt = "Experiment " + id + " goes on without this command; 'det experiment logs -f " + id +
                       "' shows its log again, 'det experiment kill " + id + "' ends it.";
  world.out << "Waiting for first trial to begin..." << std::endl;
  const auto trial = co_await first_trial(world, client, experiment);
  DET_CO_TRY(trial);
  world.out << "Following first trial with ID " << *trial << std::endl;
  const Status done = co_await print_log(world, client, trial_log(*trial), LogOptions{.follow = true});
  world.on_interrupt.clear();
  if (done) co_return co_await tell_ending(world, client, experiment, *trial);
  Error error = done.error();
  error.message +=
      " (the experiment itself goes on; 'det trial logs -f " + std::to_string(*trial) + "' follows it again)";
  co_return std::unexpected(std::move(error));
}

}  // namespace det::cli
