// Unmanaged trials end when their programs are silent, and not when nobody could hear them.

#include "operator/cluster/heartbeat_watch.h"

#include "tests/store/fixture.h"

namespace det::op {
namespace {

struct Heartbeats : store::StoreTest {
  model::TrialId silent_trial() {
    store::NewExperiment wanted = experiment();
    wanted.state = model::ExperimentState::kPaused;
    wanted.is_unmanaged = true;
    const auto trial = must(unmanaged.put_trial({.experiment = must(experiments.insert(wanted)).id}));
    must(unmanaged.start(trial, false));
    be_silent(trial);
    return trial;
  }
  void be_silent(model::TrialId trial) {
    sql("UPDATE trials SET last_heartbeat = now() - interval '7 minutes' WHERE id = " + to_string(trial) +
        " RETURNING id");
  }
  model::TrialState state(model::TrialId trial) { return must(trials.find(trial))->state; }

  SystemClock clock;
  store::LogWriter logs{io.get_executor(), {.url = url}};
  HeartbeatWatch watch{clock, unmanaged, logs};
};

TEST_F(Heartbeats, SilenceEndsATrial) {
  const auto trial = silent_trial();
  must(watch.look());
  EXPECT_EQ(state(trial), model::TrialState::kError);
}

TEST_F(Heartbeats, AnOutageOfTheDatabaseIsNoSilence) {
  const auto lives = silent_trial();
  const auto is_gone = silent_trial();
  sql("ALTER TABLE trials RENAME TO away");
  EXPECT_FALSE(run(watch.look()).has_value());
  EXPECT_FALSE(run(watch.look()).has_value());
  sql("ALTER TABLE away RENAME TO trials");
  must(watch.look());
  EXPECT_EQ(state(lives), model::TrialState::kActive);
  must(unmanaged.heartbeat(lives, std::nullopt));
  must(watch.look());
  EXPECT_EQ(state(lives), model::TrialState::kActive);
  EXPECT_EQ(state(is_gone), model::TrialState::kError);
}

}  // namespace
}  // namespace det::op
