#pragma once

// Trials with checkpoints in a folder, what ends them, and tasks that remove files.

#include <optional>
#include <string>
#include <vector>

#include "tests/store/fixture.h"

namespace det::store {

struct Removals : StoreTest {
  Removals() : epoch(must(cluster.load_or_create()).epoch), trial(make_trial("01")) {}

  TrialRow make_trial(const std::string& token) {
    NewExperiment made = experiment();
    made.config["checkpoint_storage"] = {{"type", "shared_fs"}, {"host_path", "/data"}, {"save_trial_best", 1}};
    return started_trial_of(must(experiments.insert(made)).id, token);
  }
  std::string save(const TrialRow& of, std::int64_t steps, std::optional<double> loss = {}) {
    const std::string uuid = uuid_v4();
    must(checkpoints.report({.uuid = uuid,
                             .task_id = of.task_id,
                             .allocation_id = of.task_id + ".1",
                             .report_time = WallTime(std::chrono::seconds(steps)),
                             .steps = steps,
                             .resources = {{"a", 100}, {"b", 1}}}));
    if (loss) {
      MetricWriter writer(io.get_executor(), {.url = url});
      must(writer.write(validation(of, static_cast<std::int32_t>(steps), *loss), kPatience));
    }
    return uuid;
  }
  void end(const TrialRow& of, model::ExperimentState state = model::ExperimentState::kCompleted) {
    must(trials.end(epoch, of.id, {.state = model::TrialState::kCompleted, .run = TrialExit{.run = 1}}));
    must(experiments.transition(epoch, of.experiment, {model::ExperimentState::kActive}, state, ""));
  }
  model::CheckpointState state_of(const std::string& uuid) { return must(checkpoints.find(uuid))->row.state; }
  Removal start(const Removal& removal) {
    const std::string name = "checkpoint-gc-" + to_string(removal.experiment) + "-" + std::to_string(removal.id) + "-" +
                             std::to_string(removal.attempts + 1);
    const NewTask task{
        .id = uuid_v4(), .type = "CHECKPOINT_GC", .nonce = uuid_v4(), .name = name, .owner = {2}, .config = {{"a", 1}}};
    const TaskRow row = must(removals.start(epoch, removal.id, task));
    return must(removals.of_task(row.id)).value();
  }
  Status request(std::vector<std::string> uuids, std::optional<model::UserId> owner = {},
                 std::vector<std::string> globs = {"**/*"}) {
    const auto asked =
        run(removals.request({.uuids = std::move(uuids), .globs = globs, .owner = owner, .reason = "r"}));
    return asked ? Status() : Status(std::unexpected(asked.error()));
  }

  Epoch epoch;
  TrialRow trial;
};

}  // namespace det::store
