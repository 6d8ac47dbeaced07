#include "store/trials/progress_writer.h"

#include "pg/raw_connection.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

struct Progress : StoreTest {
  double of(model::TrialId id) { return must(trials.find(id))->progress.value_or(-1); }

  SystemClock clock;
  model::TrialId trial = started_trial().id;
  ProgressWriter writer{io.get_executor(), pool, clock};
};

TEST_F(Progress, TheFirstIsWrittenAtOnceAndOfThoseThatFollowTheLast) {
  writer.note(trial, 0.25);
  test::run_until(io, [&] { return of(trial) == 0.25; });
  writer.note(trial, 0.5);
  writer.note({99}, 0.5);
  writer.note(trial, 0.75);
  test::run_until(io, [&] { return of(trial) != 0.25; });
  EXPECT_EQ(of(trial), 0.75);
}

TEST_F(Progress, TrialsAreWrittenTogether) {
  const auto experiment = must(trials.find(trial))->experiment;
  const auto other = must(trials.insert(must(cluster.load_or_create()).epoch, new_trial(experiment))).id;
  writer.note(trial, 0.1);
  writer.note(other, 0.2);
  test::run_until(io, [&] { return of(other) == 0.2; });
  EXPECT_EQ(of(trial), 0.1);
}

// Of one without a search nobody else says it.
TEST_F(Progress, IsThatOfAnUnmanagedExperiment) {
  const auto experiment = must(trials.find(trial))->experiment;
  const auto shown = [&] { return must(experiments.find(experiment))->progress.value_or(-1); };
  writer.note(trial, 0.25);
  test::run_until(io, [&] { return of(trial) == 0.25; });
  EXPECT_EQ(shown(), -1);
  sql("UPDATE experiments SET unmanaged = true RETURNING id");
  writer.note(trial, 0.5);
  test::run_until(io, [&] { return of(trial) == 0.5; });
  EXPECT_EQ(shown(), 0.5);
}

TEST_F(Progress, ATrialThatSomebodyElseIsChangingDoesNotHoldUpTheOthers) {
  const auto experiment = must(trials.find(trial))->experiment;
  const auto other = must(trials.insert(must(cluster.load_or_create()).epoch, new_trial(experiment))).id;
  auto holder = pg::RawConnection::open(url, "test");
  ASSERT_TRUE(holder);
  ASSERT_TRUE(holder->execute("BEGIN"));
  ASSERT_TRUE(holder->execute("UPDATE trials SET runner_state = 'x' WHERE id = " + to_string(trial)));
  writer.note(trial, 0.1);
  writer.note(other, 0.2);
  test::run_until(io, [&] { return of(other) == 0.2; });
  EXPECT_EQ(of(trial), -1);
  ASSERT_TRUE(holder->execute("COMMIT"));
  test::run_until(io, [&] { return of(trial) == 0.1; });
}

}  // namespace
}  // namespace det::store
