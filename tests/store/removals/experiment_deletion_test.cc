#include "store/removals/experiment_deletion.h"

#include <gmock/gmock.h>

#include "tests/store/removals/removals_fixture.h"

namespace det::store {
namespace {

using model::ExperimentState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using ExperimentDeletion = Removals;

TEST_F(ExperimentDeletion, RemovesFilesFirst) {
  const std::string uuid = save(trial, 10);
  EXPECT_EQ(run(removals.begin_delete(trial.experiment)).error().code, ErrorCode::kFailedPrecondition);
  end(trial);
  must(removals.begin_delete(trial.experiment));
  must(removals.begin_delete(trial.experiment));
  EXPECT_EQ(must(experiments.find(trial.experiment))->state, ExperimentState::kDeleting);
  const Removal first = must(removals.pending()).at(0);
  EXPECT_TRUE(first.tensorboard);
  EXPECT_THAT(first.uuids, IsEmpty());
  must(removals.finish(epoch, first.id));
  const Removal second = must(removals.pending()).at(0);
  EXPECT_THAT(second.uuids, ElementsAre(uuid));
  EXPECT_THAT(must(removals.emptied()), IsEmpty());
  must(removals.finish(epoch, second.id));
  const auto emptied = must(removals.emptied());
  ASSERT_EQ(emptied.size(), 1U);
  EXPECT_TRUE(emptied[0].is_clean);
  EXPECT_THAT(must(removals.emptied(trial.experiment.value)), IsEmpty()) << "behind it";
  must(experiments.remove(trial.experiment));
  EXPECT_FALSE(must(checkpoints.find(uuid)));
  EXPECT_EQ(sql("SELECT count(*) FROM removals"), "0");
}

// They may hold keys.
TEST_F(ExperimentDeletion, TakesTheStoragesThatNoCheckpointIsIn) {
  const auto unused = must(checkpoints.storage_id(trial.experiment, {{"type", "s3"}, {"bucket", "unused"}}));
  const auto used = must(checkpoints.storage_id(trial.experiment, {{"type", "s3"}, {"bucket", "used"}}));
  const std::string uuid = save(trial, 10);
  sql("UPDATE checkpoints SET storage_id = " + std::to_string(used) + " RETURNING 1");
  const auto left = [&] { return sql("SELECT coalesce(string_agg(id::text, ','), '') FROM storages"); };
  end(trial);
  must(experiments.remove(trial.experiment));
  EXPECT_EQ(left(), std::to_string(used)) << "not that of a checkpoint that stays: " << uuid << ", nor " << unused;
  EXPECT_TRUE(must(checkpoints.find(uuid)));
}

TEST_F(ExperimentDeletion, IsRefusedWhileOthersStartFromItsCheckpoints) {
  const std::string source = save(trial, 10);
  end(trial);
  const TrialRow heir = make_trial("02");
  const auto refused = [&] { return run(removals.begin_delete(trial.experiment)).error().message; };
  const auto set = [&](const std::string& what) {
    sql("UPDATE experiments SET config = " + what + " WHERE id = " + to_string(heir.experiment) + " RETURNING id");
  };
  const std::string why = "start or go on from: " + to_string(heir.experiment) + ". Wait for their end";
  set("jsonb_set(config, '{searcher,source_checkpoint_uuid}', '\"" + source + "\"')");
  EXPECT_THAT(refused(), HasSubstr(why));
  set("jsonb_set(config, '{searcher}', '{\"source_trial_id\": " + to_string(trial.id) + "}')");
  EXPECT_THAT(refused(), HasSubstr(why));
  set("config - 'searcher'");
  sql("UPDATE trials SET warm_start_checkpoint = '" + source + "' WHERE id = " + to_string(heir.id) + " RETURNING id");
  EXPECT_THAT(refused(), HasSubstr(why));
  end(heir);
  must(removals.begin_delete(trial.experiment));
}

TEST_F(ExperimentDeletion, DoesNotWaitForItsOwnLastRun) {
  const std::string source = save(trial, 10);
  sql("UPDATE allocations SET plan = jsonb_build_object('checkpoint', '" + source + "') RETURNING 1");
  must(experiments.transition(epoch, trial.experiment, {ExperimentState::kActive}, ExperimentState::kCanceled, ""));
  must(removals.begin_delete(trial.experiment));
}

TEST_F(ExperimentDeletion, OfOneThatNeverRanRemovesNothing) {
  const auto never = must(experiments.insert(experiment())).id;
  must(experiments.transition(epoch, never, {ExperimentState::kActive}, ExperimentState::kCanceled, ""));
  must(removals.begin_delete(never));
  EXPECT_THAT(must(removals.pending()), IsEmpty());
  EXPECT_EQ(must(removals.emptied()).at(0).experiment, never);
}

}  // namespace
}  // namespace det::store
