// Which checkpoints trials use.

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct TrialSources : StoreTest {
  TrialSources() : user(started_trial()), maker(user) {}

  std::string save(std::int64_t steps) {
    const std::string uuid = uuid_v4();
    must(checkpoints.report({.uuid = uuid,
                             .task_id = maker.task_id,
                             .allocation_id = maker.task_id + ".1",
                             .report_time = WallTime(std::chrono::seconds(steps)),
                             .steps = steps}));
    return uuid;
  }
  Status note(const std::string& checkpoint, TrialSourceKind kind = TrialSourceKind::kInference) {
    return run(trial_sources.note({.trial = user.id, .checkpoint = checkpoint, .kind = kind}));
  }
  std::vector<model::TrialId> trials_of(const std::string& checkpoint, std::optional<TrialSourceKind> kind = {}) {
    return must(trial_sources.trials_of(checkpoint, kind, 10));
  }

  TrialRow user;
  TrialRow maker;
};

TEST_F(TrialSources, AreNotedOnceOfEachTrial) {
  const std::string uuid = save(1);
  EXPECT_THAT(trials_of(uuid), IsEmpty());
  EXPECT_TRUE(note(uuid));
  EXPECT_TRUE(note(uuid));
  EXPECT_THAT(trials_of(uuid), ElementsAre(user.id));
  EXPECT_THAT(trials_of(uuid, TrialSourceKind::kFineTuning), IsEmpty());
  EXPECT_TRUE(note(uuid, TrialSourceKind::kFineTuning)) << "what was noted is overwritten";
  EXPECT_THAT(trials_of(uuid, TrialSourceKind::kFineTuning), ElementsAre(user.id));
  EXPECT_THAT(trials_of(uuid, TrialSourceKind::kInference), IsEmpty());
}

TEST_F(TrialSources, AreOfWhatIsThere) {
  EXPECT_EQ(note(uuid_v4()).error().code, ErrorCode::kNotFound);
  const std::string uuid = save(1);
  sql("UPDATE checkpoints SET state = 'DELETED' RETURNING 1");
  EXPECT_EQ(note(uuid).error().code, ErrorCode::kNotFound);
  user.id = {99};
  EXPECT_EQ(note(uuid).error().message, "trial '99' not found");
}

TEST_F(TrialSources, AreBounded) {
  const std::string uuid = save(1);
  sql("INSERT INTO checkpoints (uuid, task_number, allocation_id, trial_id, steps, report_time, state, metadata, "
      "resources, size) SELECT "
      "gen_random_uuid(), task_number, allocation_id, trial_id, n, report_time, state, metadata, resources, size FROM "
      "checkpoints, "
      "generate_series(2, 1001) n RETURNING 1");
  sql("INSERT INTO trial_sources (trial_id, checkpoint, kind) SELECT trial_id, uuid, 'INFERENCE' FROM checkpoints "
      "WHERE steps > 1 RETURNING 1");
  EXPECT_EQ(note(uuid).error().code, ErrorCode::kFailedPrecondition);
}

}  // namespace
}  // namespace det::store
