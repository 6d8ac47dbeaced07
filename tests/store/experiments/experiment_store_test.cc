#include "store/experiments/experiment_store.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using State = model::ExperimentState;
using Experiments = StoreTest;

TEST_F(Experiments, KeepsWhatWasInserted) {
  NewExperiment wanted = experiment();
  wanted.labels = {"a\"b", "c,d", "e\\f"};
  wanted.config["x"] = 1e-300;
  const ExperimentRow made = must(experiments.insert(wanted));
  const ExperimentRow found = must(experiments.find(made.id)).value();
  EXPECT_EQ(found.nonce, wanted.nonce);
  EXPECT_EQ(found.config, wanted.config);
  EXPECT_EQ(found.original_config, wanted.original_config);
  EXPECT_EQ(found.labels, wanted.labels);
  EXPECT_EQ(found.state, State::kActive);
  EXPECT_EQ(found.owner.value, 2);
  EXPECT_EQ(found.job_id.size(), 36U);
  EXPECT_TRUE(found.uid.empty());
  EXPECT_FALSE(found.end_time);
  EXPECT_FALSE(must(experiments.find({99})));
}

TEST_F(Experiments, InsertsOncePerNonceAndPerUid) {
  NewExperiment rest = experiment();
  EXPECT_EQ(must(experiments.insert(rest)).id, must(experiments.insert(rest)).id);
  NewExperiment applied = experiment();
  applied.nonce.clear();
  applied.uid = "u-1";
  applied.ns = "team";
  applied.name = "mnist";
  const ExperimentRow first = must(experiments.insert(applied));
  EXPECT_EQ(must(experiments.insert(applied)).id, first.id);
  EXPECT_EQ(must(experiments.find_by_uid("u-1"))->id, first.id);
}

TEST_F(Experiments, AdoptsARowForItsObjectOnly) {
  const ExperimentRow row = must(experiments.insert(experiment()));
  EXPECT_EQ(must(experiments.adopt(row.nonce, "u-1", "ns", "exp-1")).name, "exp-1");
  EXPECT_EQ(must(experiments.adopt(row.nonce, "u-1", "ns", "exp-1")).id, row.id);
  EXPECT_EQ(run(experiments.adopt(row.nonce, "u-2", "ns", "exp-1")).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(run(experiments.adopt(uuid_v4(), "u-3", "ns", "x")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(must(experiments.find_by_uid("u-1"))->nonce, row.nonce);
}

TEST_F(Experiments, AreDiscardedOnlyWithoutAnObject) {
  const ExperimentRow row = must(experiments.insert(experiment()));
  const ExperimentRow adopted = must(experiments.insert(experiment()));
  must(experiments.adopt(adopted.nonce, "u-1", "ns", "exp-2"));
  for (int i = 0; i < 2; ++i) {
    must(experiments.discard(row.nonce));
    must(experiments.discard(adopted.nonce));
  }
  EXPECT_FALSE(must(experiments.find(row.id)));
  EXPECT_TRUE(must(experiments.find(adopted.id)));
}

TEST_F(Experiments, MovesOnlyFromTheStatesThatWereNamed) {
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const auto id = must(experiments.insert(experiment())).id;
  EXPECT_FALSE(must(experiments.transition(epoch, id, {State::kPaused}, State::kCanceled, "x")));
  EXPECT_TRUE(
      must(experiments.transition(epoch, id, {State::kActive, State::kPaused}, State::kStoppingCanceled, "user")));
  EXPECT_FALSE(must(experiments.find(id))->end_time);
  EXPECT_TRUE(must(experiments.transition(epoch, id, {State::kStoppingCanceled}, State::kCanceled, "user")));
  const ExperimentRow done = must(experiments.find(id)).value();
  EXPECT_TRUE(done.end_time);
  EXPECT_EQ(done.message, "user");
  EXPECT_EQ(run(experiments.transition(epoch, {99}, {State::kActive}, State::kPaused, "")).error().message,
            "experiment '99' not found");
}

TEST_F(Experiments, AreNotMovedByAFormerLeader) {
  const Epoch old = must(cluster.raise_epoch());
  must(cluster.raise_epoch());
  const auto id = must(experiments.insert(experiment())).id;
  const auto moved = run(experiments.transition(old, id, {State::kActive}, State::kPaused, ""));
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(must(experiments.find(id))->state, State::kActive);
}

TEST_F(Experiments, PatchOnlyWhatIsGiven) {
  const auto id = must(experiments.insert(experiment())).id;
  must(experiments.patch(id, {.title = {}, .description = "d", .labels = {{"x"}}, .notes = "n"}));
  must(experiments.patch(id, {.title = "t", .description = {}, .labels = {{}}, .notes = {}}));
  must(experiments.set_archived(id, true));
  must(experiments.set_progress(id, 0.5));
  const ExperimentRow row = must(experiments.find(id)).value();
  EXPECT_EQ(row.title, "t");
  EXPECT_EQ(row.description, "d");
  EXPECT_TRUE(row.labels.empty());
  EXPECT_EQ(row.notes, "n");
  EXPECT_TRUE(row.archived);
  EXPECT_EQ(row.progress, 0.5);
  EXPECT_EQ(run(experiments.set_archived({99}, true)).error().code, ErrorCode::kNotFound);
}

// As two people change them at the same time: neither knows of the other.
TEST_F(Experiments, KeepLiveSettingsThatAPatchDoesNotName) {
  const auto id = must(experiments.insert(experiment())).id;
  const auto change = [&](nlohmann::json settings) {
    ExperimentPatch patch;
    patch.changed_live = std::move(settings);
    must(experiments.patch(id, std::move(patch)));
  };
  const auto live = [&] { return must(experiments.find(id)).value().live; };
  change({{"priority", 70}});
  change({{"weight", 2.5}});
  EXPECT_EQ(live(), (nlohmann::json{{"priority", 70}, {"weight", 2.5}}));
  change({{"priority", 10}});
  EXPECT_EQ(live(), (nlohmann::json{{"priority", 10}, {"weight", 2.5}}));
  ExperimentPatch all;
  all.live = nlohmann::json{{"max_slots", 3}};
  must(experiments.patch(id, std::move(all)));
  EXPECT_EQ(live(), (nlohmann::json{{"max_slots", 3}}));
}

TEST_F(Experiments, ThatAreCompletedAreDoneWhateverIsSaidLate) {
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const auto id = must(experiments.insert(experiment())).id;
  must(experiments.set_progress(id, 0.5));
  EXPECT_TRUE(must(experiments.transition(epoch, id, {State::kActive}, State::kCompleted, "")));
  EXPECT_EQ(must(experiments.find(id))->progress, 1.0);
  must(experiments.set_progress(id, 0.83));
  EXPECT_EQ(must(experiments.find(id))->progress, 1.0);
}

TEST_F(Experiments, ListWithFiltersSortingAndPages) {
  for (int i = 1; i <= 4; ++i) {
    NewExperiment one = experiment();
    one.title = "run " + std::to_string(i);
    one.owner = {i % 2 == 0 ? 1 : 2};
    if (i == 3) one.labels = {"keep", "me"};
    must(experiments.insert(one));
  }
  must(experiments.set_archived({4}, true));
  const auto ids = [this](ExperimentFilter filter) {
    std::vector<std::int64_t> out;
    for (const auto& view : must(experiments.list(std::move(filter))).items) out.push_back(view.row.id.value);
    return out;
  };
  using Ids = std::vector<std::int64_t>;
  EXPECT_EQ(ids({}), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(ids({.archived = false}), (Ids{1, 2, 3}));
  EXPECT_EQ(ids({.users = {"admin"}}), (Ids{2, 4}));
  EXPECT_EQ(ids({.users = {"admin"}, .user_ids = {{2}}}), Ids{}) << "both hold";
  EXPECT_EQ(ids({.users = {"admin"}, .user_ids = {{1}, {2}}}), (Ids{2, 4}));
  EXPECT_EQ(ids({.states = {State::kPaused}}), Ids{});
  EXPECT_EQ(ids({.name = "RUN 2"}), Ids{2});
  EXPECT_EQ(ids({.labels = {"me"}}), Ids{3});
  EXPECT_EQ(ids({.sort = ExperimentSort::kName, .order = Order::kDescending, .page = {.limit = 2}}), (Ids{4, 3}));
  EXPECT_EQ(ids({.page = {.offset = -1}}), Ids{4});
  const auto page = must(experiments.list({.page = {.offset = 1, .limit = 2}}));
  EXPECT_EQ(page.total, 4);
  EXPECT_EQ(page.offset, 1);
  EXPECT_EQ(must(experiments.list({.page = {.offset = 5}})).offset, 4) << "behind the end: an empty page";
  for (int sort = 0; sort <= static_cast<int>(ExperimentSort::kSearcherMetric); ++sort) {
    EXPECT_EQ(ids({.sort = static_cast<ExperimentSort>(sort)}).size(), 4U) << sort;
  }
}

TEST_F(Experiments, ShowTheirTrialsOwnerAndProject) {
  const TrialRow trial = started_trial();
  const ExperimentView view = must(experiments.view(trial.experiment)).value();
  EXPECT_EQ(view.username, "determined");
  EXPECT_EQ(view.project_name, "Uncategorized");
  EXPECT_EQ(view.workspace_name, "Uncategorized");
  EXPECT_EQ(view.workspace.value, 1);
  EXPECT_EQ(view.project_owner.value, 1);
  EXPECT_EQ(view.trial_ids, std::vector{trial.id});
  EXPECT_EQ(view.allocation_state, model::AllocationState::kPending);
  EXPECT_FALSE(view.best_trial);
  EXPECT_FALSE(must(experiments.best_trial(trial.experiment)));
  const NamedExperiment named = must(experiments.find_named(trial.experiment)).value();
  EXPECT_EQ(named.row.uid, view.row.uid);
  EXPECT_EQ(named.username, "determined");
  EXPECT_EQ(named.workspace.value, 1);
  EXPECT_EQ(named.workspace_name, "Uncategorized");
  EXPECT_FALSE(must(experiments.find_named({4711})));
}

// Two statements read them.
TEST_F(Experiments, AreTheSameAloneAndAmongOthers) {
  const TrialRow trial = started_trial();
  const ExperimentRow bare = must(experiments.insert(experiment()));
  must(checkpoints.report({.uuid = uuid_v4(),
                           .task_id = trial.task_id,
                           .allocation_id = trial.task_id + ".1",
                           .report_time = WallTime(std::chrono::seconds(1)),
                           .steps = 10,
                           .resources = {{"a", 100}}}));
  MetricWriter writer(io.get_executor(), {.url = url});
  must(writer.write(validation(trial, 10, 0.5), kPatience));
  const auto all = must(experiments.views({bare.id.value, trial.experiment.value}));
  ASSERT_EQ(all.size(), 2U);
  for (const ExperimentView& among : all) {
    const ExperimentView alone = must(experiments.view(among.row.id)).value();
    const auto told = [](const ExperimentView& view) {
      return std::tuple(view.row.nonce, view.username, view.project_name, view.project_owner, view.workspace,
                        view.workspace_name, view.is_parent_archived, view.allocation_state, view.trial_ids,
                        view.best_trial, view.best_metric, view.external_trial_id, view.checkpoint_count,
                        view.checkpoint_bytes, view.context_bytes);
    };
    EXPECT_EQ(told(alone), told(among));
  }
  EXPECT_EQ(all[1].checkpoint_bytes, 100);
  EXPECT_EQ(all[1].best_trial, trial.id);
  EXPECT_FALSE(must(experiments.view({4711})));
}

}  // namespace
}  // namespace det::store
