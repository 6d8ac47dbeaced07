#include "operator/removal/collector.h"

#include <gtest/gtest.h>

#include "tests/operator/operator_services.h"

namespace det::op {
namespace {

struct CollectorTest : OperatorServicesTest {
  // An experiment that ended and whose policy gives one checkpoint up.
  model::ExperimentId ended(const std::string& token) {
    store::NewExperiment made = experiment();
    made.config["checkpoint_storage"] = {{"type", "shared_fs"}, {"host_path", "/data"}, {"save_trial_latest", 1}};
    const store::TrialRow trial = started_trial_of(must(experiments.insert(made)).id, token);
    for (const int steps : {10, 20}) {
      must(checkpoints.report({.uuid = uuid_v4(),
                               .task_id = trial.task_id,
                               .allocation_id = trial.task_id + ".1",
                               .report_time = WallTime(std::chrono::seconds(steps)),
                               .steps = steps,
                               .resources = {{"a", 100}}}));
    }
    const store::Epoch epoch = operator_services.epoch;
    must(trials.end(epoch, trial.id, {.state = model::TrialState::kCompleted, .run = store::TrialExit{.run = 1}}));
    must(experiments.transition(epoch, trial.experiment, {model::ExperimentState::kActive},
                                model::ExperimentState::kCompleted, ""));
    return trial.experiment;
  }
  std::string planned() { return sql("SELECT coalesce(string_agg(experiment_id::text, ' '), '') FROM removals"); }

  Collector collector{operator_services, io.get_executor(), "default"};
};

TEST_F(CollectorTest, PlansForAllWhomNothingHolds) {
  const auto held = ended("01");
  const auto other = ended("02");
  sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE query_canceled; END'");
  sql("CREATE TRIGGER slow BEFORE INSERT ON removals FOR EACH ROW WHEN (NEW.experiment_id = " + to_string(held) +
      ") EXECUTE FUNCTION refuse()");
  run(collector.look());
  EXPECT_EQ(planned(), to_string(other));
  sql("DROP TRIGGER slow ON removals");
  run(collector.look());
  EXPECT_EQ(planned(), to_string(other) + " " + to_string(held));
}

}  // namespace
}  // namespace det::op
