#include "store/removals/removal_store.h"

#include <limits>

#include <gmock/gmock.h>

#include "tests/store/removals/removals_fixture.h"

namespace det::store {
namespace {

using State = model::CheckpointState;
using model::ExperimentState;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Uuids = std::vector<std::string>;

constexpr model::GcPolicy kKeepNothing{.save_experiment_best = 0, .save_trial_best = 0, .save_trial_latest = 0};

TEST_F(Removals, FollowThePolicyWhenTheExperimentEnds) {
  const std::string best = save(trial, 10, 0.1);
  const std::string middle = save(trial, 20, 0.5);
  const std::string latest = save(trial, 30, 0.4);
  EXPECT_EQ(must(removals.plan_due(epoch)).experiments, 0) << "it runs";
  end(trial);
  EXPECT_EQ(must(removals.plan_due(epoch)).experiments, 1);
  EXPECT_EQ(must(removals.plan_due(epoch)).experiments, 0) << "once";
  const auto pending = must(removals.pending());
  ASSERT_EQ(pending.size(), 1U);
  EXPECT_THAT(pending[0].uuids, ElementsAre(middle));
  EXPECT_THAT(pending[0].globs, ElementsAre("**/*"));
  EXPECT_EQ(pending[0].storage, nlohmann::json({{"type", "shared_fs"}, {"host_path", "/data"}}));
  EXPECT_EQ(state_of(middle), State::kCompleted) << "before its files are gone nobody says so";
  const Removal started = start(pending[0]);
  EXPECT_EQ(started.attempts, 1);
  must(removals.finish(epoch, started.id));
  must(removals.finish(epoch, started.id));
  EXPECT_EQ(state_of(middle), State::kDeleted);
  EXPECT_EQ(must(checkpoints.find(middle))->row.bytes, 0);
  EXPECT_EQ(state_of(best), State::kCompleted);
  EXPECT_EQ(state_of(latest), State::kCompleted);
  EXPECT_THAT(must(removals.pending()), IsEmpty());
}

TEST_F(Removals, AreNotForCheckpointsOfTasks) {
  const std::string task = uuid_v4();
  const std::string uuid = uuid_v4();
  must(tasks.insert({.id = task,
                     .type = "GENERIC",
                     .nonce = uuid_v4(),
                     .uid = uuid_v4(),
                     .ns = "team",
                     .name = "t",
                     .owner = {2},
                     .config = {{"a", 1}},
                     .submitted = nullptr}));
  must(checkpoints.report({.uuid = uuid, .task_id = task, .steps = 1, .resources = {{"a", 1}}}));
  const auto refused = run(removals.request({.uuids = {uuid}, .globs = {"**/*"}, .owner = {}, .reason = "x"}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "checkpoint " + uuid + " was saved by task " + task +
                                         ": only files of experiments' checkpoints are removed; remove these in its "
                                         "storage");
}

TEST_F(Removals, WhatEndedBeforeIsHeldUntilReleased) {
  save(trial, 10);
  save(trial, 20);
  end(trial);
  sql("UPDATE experiments SET collection = 'HELD'");  // as a program before this one leaves it
  EXPECT_EQ(must(removals.plan_due(epoch)).experiments, 0);
  const HeldExperiments held = must(removals.held());
  EXPECT_EQ(held.experiments, 1);
  EXPECT_EQ(held.checkpoints, 2);
  EXPECT_EQ(held.bytes, 202);
  EXPECT_EQ(must(removals.release_held()), 1);
  EXPECT_EQ(must(removals.held()).experiments, 0);
  EXPECT_EQ(must(removals.plan_due(epoch)).experiments, 1);
  EXPECT_EQ(must(removals.pending()).size(), 1U);
}

TEST_F(Removals, FollowAPolicyThatWasChanged) {
  const std::string first = save(trial, 10);
  const std::string latest = save(trial, 20);
  end(trial);
  must(experiments.patch(trial.experiment, {.live = nlohmann::json{{"save_trial_latest", 2}}}));
  must(removals.plan_due(epoch));
  EXPECT_THAT(must(removals.pending()), IsEmpty());
  must(experiments.patch(trial.experiment, {.live = nlohmann::json{{"save_trial_latest", 0}}}));
  must(removals.policy_changed(trial.experiment));
  must(removals.plan_due(epoch));
  EXPECT_THAT(must(removals.pending()).at(0).uuids, UnorderedElementsAre(first, latest));
}

TEST_F(Removals, WaitForTheLastRunToEnd) {
  save(trial, 10);
  save(trial, 20);
  must(experiments.transition(epoch, trial.experiment, {ExperimentState::kActive}, ExperimentState::kCanceled, ""));
  const auto waiting = must(removals.plan_due(epoch));
  EXPECT_EQ(waiting.experiments, 0);
  EXPECT_TRUE(waiting.has_later);
  must(trials.end(epoch, trial.id, {.state = model::TrialState::kCanceled, .run = TrialExit{.run = 1}}));
  const auto planned = must(removals.plan_due(epoch));
  EXPECT_EQ(planned.experiments, 1);
  EXPECT_FALSE(planned.has_later);
}

TEST_F(Removals, AreSaidToComeLaterWhileAnotherTransactionHoldsTheExperiment) {
  save(trial, 10);
  save(trial, 20);
  end(trial);
  {
    auto other = pg::RawConnection::open(url, "test");
    ASSERT_TRUE(other && other->execute("BEGIN") && other->execute("SELECT 1 FROM experiments FOR UPDATE"));
    const auto waiting = must(removals.plan_due(epoch));
    EXPECT_EQ(waiting.experiments, 0);
    EXPECT_TRUE(waiting.has_later);
    ASSERT_TRUE(other->execute("ROLLBACK")) << "a connection that is closed keeps its locks for a moment";
  }
  const auto planned = must(removals.plan_due(epoch));
  EXPECT_EQ(planned.experiments, 1);
  EXPECT_FALSE(planned.has_later);
}

TEST_F(Removals, AreNotPlannedTwice) {
  const std::string uuid = save(trial, 10);
  end(trial);
  ASSERT_TRUE(request({uuid}));
  ASSERT_TRUE(request({uuid})) << "it is going already";
  EXPECT_EQ(must(removals.pending()).size(), 1U);
  EXPECT_THAT(must(removals.preview(trial.experiment, kKeepNothing)), IsEmpty());
}

TEST_F(Removals, NobodyStartsFromWhatIsGoing) {
  const std::string older = save(trial, 10);
  const std::string latest = save(trial, 20);
  end(trial);
  ASSERT_TRUE(request({latest}));
  EXPECT_EQ(must(checkpoints.latest(trial.id))->uuid, older);
  EXPECT_FALSE(run(checkpoints.warm_start(latest, {})));
  const TrialRow heir = make_trial("02");
  NewRun again = new_run(2, "03");
  again.plan.checkpoint = latest;
  EXPECT_EQ(run(trials.start_run(epoch, heir.id, again)).error().code, ErrorCode::kAborted);
  EXPECT_EQ(run(trial_sources.note({.trial = trial.id, .checkpoint = latest})).error().code, ErrorCode::kAborted);
}

TEST_F(Removals, SpareWhatARunningTrialUses) {
  const std::string used = save(trial, 10);
  save(trial, 20);
  end(trial);
  const TrialRow inference = make_trial("02");
  must(trial_sources.note({.trial = inference.id, .checkpoint = used}));
  EXPECT_THAT(request({used}).error().message, HasSubstr("in use"));
  end(inference);
  EXPECT_TRUE(request({used})) << "it has read it";
}

TEST_F(Removals, SpareWhatIsNeeded) {
  const std::string source = save(trial, 10);
  const std::string named = save(trial, 20);
  const std::string latest = save(trial, 30);
  EXPECT_EQ(request({latest}).error().code, ErrorCode::kFailedPrecondition) << "its trial has not ended";
  ASSERT_TRUE(request({})) << "nothing";
  end(trial);
  // A trial that goes on from one of them, and experiments that name another, and the trial.
  TrialRow other = make_trial("02");
  sql("UPDATE trials SET warm_start_checkpoint = '" + source + "' WHERE id = " + to_string(other.id) + " RETURNING id");
  EXPECT_THAT(request({source}).error().message, HasSubstr("in use"));
  sql("UPDATE experiments SET config = jsonb_set(config, '{searcher,source_checkpoint_uuid}', '\"" + named +
      "\"') WHERE id = " + to_string(other.experiment) + " RETURNING id");
  EXPECT_THAT(request({named}).error().message, HasSubstr(named));
  sql("UPDATE experiments SET config = jsonb_set(config, '{searcher,source_trial_id}', '" + to_string(trial.id) +
      "') WHERE id = " + to_string(other.experiment) + " RETURNING id");
  EXPECT_THAT(request({latest}).error().message, HasSubstr(latest));
  EXPECT_THAT(must(removals.preview(trial.experiment, kKeepNothing)), IsEmpty());
  end(other);
  EXPECT_THAT(must(removals.preview(trial.experiment, kKeepNothing)), UnorderedElementsAre(named, latest))
      << "a policy keeps what any trial started from";
  EXPECT_TRUE(request({source, named, latest}));
}

TEST_F(Removals, AreOfOnesOwnCheckpointsAndAllOrNone) {
  const std::string uuid = save(trial, 10);
  end(trial);
  EXPECT_EQ(request({uuid}, model::UserId{1}).error().code, ErrorCode::kPermissionDenied);
  const Status unknown = request({uuid, "00000000-0000-4000-8000-000000000000"});
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(must(removals.pending()), IsEmpty());
  EXPECT_TRUE(request({uuid}, model::UserId{2}));
}

TEST_F(Removals, OfSomeFilesLeaveTheRestToTheirTask) {
  const std::string uuid = save(trial, 10);
  end(trial);
  ASSERT_TRUE(request({uuid}, {}, {"a"}));
  ASSERT_TRUE(request({uuid})) << "all of them, after that";
  const auto first = must(removals.pending());
  ASSERT_EQ(first.size(), 1U) << "one at a time";
  must(checkpoints.patch({{uuid, {{"b", 1}}}}));
  must(removals.finish(epoch, first[0].id));
  EXPECT_EQ(state_of(uuid), State::kPartiallyDeleted);
  const auto second = must(removals.pending());
  ASSERT_EQ(second.size(), 1U);
  must(removals.finish(epoch, second[0].id));
  EXPECT_EQ(state_of(uuid), State::kDeleted);
}

TEST_F(Removals, ThatFailedAreTriedAgainAndThenGivenUp) {
  const std::string uuid = save(trial, 10);
  end(trial);
  ASSERT_TRUE(request({uuid}));
  const Removal removal = start(must(removals.pending()).at(0));
  const WallTime later = WallTime(std::chrono::seconds(2'000'000'000));
  must(removals.note_failure(epoch, removal.id, "no such bucket", later));
  const Removal again = must(removals.pending()).at(0);
  EXPECT_EQ(again.error, "no such bucket");
  EXPECT_EQ(again.next_try, later);
  EXPECT_TRUE(again.task_id.empty());
  must(removals.note_failure(epoch, removal.id, "no such bucket", {}));
  EXPECT_THAT(must(removals.pending()), IsEmpty());
  EXPECT_EQ(state_of(uuid), State::kPartiallyDeleted) << "the first attempt may have removed some of its files";
  EXPECT_FALSE(must(checkpoints.latest(trial.id))) << "nothing starts from it";
  ASSERT_TRUE(request({uuid})) << "it can be asked for again";
}

TEST_F(Removals, ThatNeverBeganLeaveCheckpointsAsTheyWere) {
  const std::string uuid = save(trial, 10);
  end(trial);
  ASSERT_TRUE(request({uuid}));
  must(removals.note_failure(epoch, must(removals.pending()).at(0).id, "there is no such image", {}));
  EXPECT_EQ(state_of(uuid), State::kCompleted);
  EXPECT_EQ(must(checkpoints.latest(trial.id))->uuid, uuid);
}

TEST_F(Removals, OfOneExperimentHideNoOthers) {
  const TrialRow other = make_trial("02");
  const std::string theirs = save(other, 10);
  Uuids mine;
  for (int i = 1; i <= RemovalStore::kMostPending + 1; ++i) mine.push_back(save(trial, i));
  end(trial);
  end(other);
  for (const std::string& uuid : mine) ASSERT_TRUE(request({uuid}));
  ASSERT_TRUE(request({theirs}));
  const auto pending = must(removals.pending());
  ASSERT_EQ(pending.size(), 2U);
  EXPECT_THAT(pending[0].uuids, ElementsAre(mine[0]));
  EXPECT_THAT(pending[1].uuids, ElementsAre(theirs));
  EXPECT_EQ(must(removals.pending(pending[0].id)).at(0).id, pending[1].id) << "behind it";
}

TEST_F(Removals, CountTriesForWhichNoTaskCouldBeMade) {
  const std::string uuid = save(trial, 10);
  end(trial);
  ASSERT_TRUE(request({uuid}));
  const auto pending = [&] { return must(removals.pending()); };
  const std::int64_t id = pending().at(0).id;
  must(removals.note_failure(epoch, id, "there is no such image", WallTime(std::chrono::seconds(1))));
  EXPECT_EQ(pending().at(0).attempts, 1);
  start(pending().at(0));
  EXPECT_EQ(pending().at(0).attempts, 2);
  must(removals.note_failure(epoch, id, "no such bucket", WallTime(std::chrono::seconds(1))));
  EXPECT_EQ(pending().at(0).attempts, 2);
}

TEST_F(Removals, OfTrialsThatRanElsewhereAreRefused) {
  sql("UPDATE experiments SET unmanaged = true RETURNING 1");
  const std::string uuid = save(trial, 10);
  end(trial);
  const auto refused = request({uuid});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("ran outside of the cluster: remove its files there"));
}

TEST_F(Removals, OfTrialsThatRanElsewhereAreNeitherPlannedNorHeld) {
  sql("UPDATE experiments SET unmanaged = true RETURNING 1");
  save(trial, 10);
  save(trial, 20);
  end(trial);
  EXPECT_EQ(must(removals.plan_due(epoch)).experiments, 1);
  EXPECT_EQ(must(removals.pending()).size(), 0U) << "no pod reaches their folder";
  sql("UPDATE experiments SET collection = 'HELD'");
  EXPECT_EQ(must(removals.held()).checkpoints, 0);
  EXPECT_EQ(must(removals.release_held()), 0);
}

TEST_F(Removals, SizesThatNobodyCanAddUpHarmNoList) {
  save(trial, 10);
  save(trial, 20);
  sql("UPDATE checkpoints SET size = 9223372036854775807");
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(must(experiments.list({})).items.at(0).checkpoint_bytes, kAll);
  EXPECT_EQ(must(trials.list({.experiment = trial.experiment})).items.size(), 1U);
  EXPECT_EQ(must(run_lists.search({})).ids.size(), 1U);
  sql("UPDATE experiments SET collection = 'HELD', state = 'COMPLETED'");
  EXPECT_EQ(must(removals.held()).bytes, kAll);
}

TEST_F(Removals, OfAnotherLeaderAreRefused) {
  const Epoch next = must(cluster.raise_epoch());
  EXPECT_FALSE(run(removals.plan_due(epoch)));
  EXPECT_TRUE(run(removals.plan_due(next)));
}

TEST_F(Removals, StayInTheStorageOfTheExperiment) {
  const std::string elsewhere = save(trial, 10);
  const std::string inside = save(trial, 20);
  const auto foreign = must(checkpoints.storage_id(trial.experiment, {{"type", "shared_fs"}, {"host_path", "/etc"}}));
  const auto below = must(checkpoints.storage_id(
      trial.experiment, {{"type", "shared_fs"}, {"host_path", "/data"}, {"storage_path", "sub"}}));
  sql("UPDATE checkpoints SET storage_id = " + std::to_string(foreign) + " WHERE uuid = '" + elsewhere +
      "' RETURNING 1");
  sql("UPDATE checkpoints SET storage_id = " + std::to_string(below) + " WHERE uuid = '" + inside + "' RETURNING 1");
  end(trial);
  ASSERT_TRUE(request({elsewhere, inside}));
  const auto pending = must(removals.pending());
  ASSERT_EQ(pending.size(), 1U) << "no folder is mounted that the experiment had not";
  EXPECT_THAT(pending[0].uuids, ElementsAre(inside));
  EXPECT_EQ(pending[0].storage.value("storage_path", ""), "sub");
}

TEST_F(Removals, OfModelCodeSpareWhatIsReferredToOrNew) {
  const std::string used = sha256_hex("used");
  for (const char* bytes : {"used", "old", "new"}) must(contexts.put(sha256_hex(bytes), bytes));
  NewExperiment with_code = experiment();
  with_code.context = {.kind = "stored", .sha256 = used};
  must(experiments.insert(with_code));
  EXPECT_EQ(must(removals.sweep_model_definitions()), 0);
  sql("UPDATE model_definitions SET created_at = now() - interval '2 days' RETURNING 1");
  must(contexts.put(sha256_hex("new"), "new"));  // somebody is about to use it
  EXPECT_EQ(must(removals.sweep_model_definitions()), 1);
  EXPECT_TRUE(must(contexts.exists(used)));
  EXPECT_TRUE(must(contexts.exists(sha256_hex("new"))));
  EXPECT_FALSE(must(contexts.exists(sha256_hex("old"))));
}

}  // namespace
}  // namespace det::store
