#include "operator/cluster/sweeper.h"

#include <gtest/gtest.h>

#include "tests/operator/operator_services.h"
#include "tests/support/background.h"

namespace det::op {
namespace {

struct SweeperTest : OperatorServicesTest {
  // An experiment whose object is not among our copies.
  void insert(const std::string& uid) {
    store::NewExperiment made = experiment();
    made.uid = uid;
    made.ns = "team";
    made.name = uid;
    must(experiments.insert(made));
  }
  std::string live() { return sql("SELECT count(*) FROM experiments WHERE state = 'ACTIVE'"); }

  Sweeper sweeper{operator_services, io.get_executor()};
  test::Background background{io};
};

TEST_F(SweeperTest, EndsWhatHasNoObjectHoweverManyThereAre) {
  for (int i = 0; i < 120; ++i) insert("gone-" + std::to_string(i));
  api.create(k8s::experiments(), {{"metadata", {{"name", "there"}, {"namespace", "team"}}}});
  const nlohmann::json there = api.find(k8s::experiments(), {.ns = "team", .name = "there"});
  store::NewExperiment kept = experiment();
  kept.uid = there.at("metadata").at("uid");
  kept.ns = "team";
  kept.name = "there";
  must(experiments.insert(kept));
  must(sweeper.sweep());
  EXPECT_EQ(live(), "1");
  EXPECT_EQ(sql("SELECT count(*) FROM experiments WHERE state = 'CANCELED'"), "120");
}

TEST_F(SweeperTest, EndsTheOthersWhereOneCannotBeEnded) {
  insert("held");
  insert("gone");
  sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE query_canceled; END'");
  sql("CREATE TRIGGER slow BEFORE UPDATE ON experiments FOR EACH ROW WHEN (NEW.uid = 'held') EXECUTE FUNCTION "
      "refuse()");
  EXPECT_FALSE(run(sweeper.sweep()).has_value());
  EXPECT_EQ(sql("SELECT uid FROM experiments WHERE state = 'ACTIVE'"), "held");
}

// REST made row and object, and the database went away before the one was written into the other.
TEST_F(SweeperTest, LeavesWhatAnObjectIsStillToAdopt) {
  const store::NewExperiment made = experiment();
  must(experiments.insert(made));
  sql("UPDATE experiments SET start_time = '2000-01-01' RETURNING 1");
  api.create(k8s::experiments(),
             {{"metadata",
               {{"name", "exp-1"}, {"namespace", "team"}, {"annotations", {{"det-operator.dev/nonce", made.nonce}}}}}});
  background.start(experiment_copies.run());
  test::run_until(io, [&] { return experiment_copies.synced(); });
  must(sweeper.sweep());
  EXPECT_EQ(live(), "1");
  sql("UPDATE experiments SET nonce = gen_random_uuid() RETURNING 1");
  must(sweeper.sweep());
  EXPECT_EQ(live(), "0") << "and what no object has the nonce of";
}

TEST_F(SweeperTest, LooksOnceAfterManyObjectsThatGoOneAfterAnother) {
  insert("first");
  background.start(sweeper.run());
  test::run_until(io, [&] { return live() == "0"; });
  insert("second");
  insert("third");
  test::run_until(io, [&] { return clock.sleepers() == 1; });
  sweeper.wake();
  test::run_until(io, [&] { return clock.until_next() == std::chrono::seconds(1); });
  sweeper.wake();
  io.restart();
  io.poll();
  EXPECT_EQ(live(), "2");
  ASSERT_TRUE(clock.wake_next());
  test::run_until(io, [&] { return live() == "0"; });
  test::run_until(io, [&] { return clock.until_next() == std::chrono::minutes(2); });
}

}  // namespace
}  // namespace det::op
