// The model registry, and what it keeps from removal.

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::vector<std::string>;

struct Registry : StoreTest {
  RegisteredModelRow add(const std::string& name, const Names& labels = {}, std::int64_t workspace = 1) {
    return must(models.create({.name = name,
                               .description = name + " finds ships",
                               .labels = labels,
                               .owner = {2},
                               .workspace = {workspace}}));
  }
  Names names(RegisteredModelFilter filter) {
    Names found;
    for (const auto& row : must(models.list(std::move(filter))).items) found.push_back(row.name);
    return found;
  }
  std::int64_t make_workspace() {
    return std::stoll(sql("INSERT INTO workspaces (name, owner_id) VALUES ('vision', 1) RETURNING id"));
  }
};

TEST_F(Registry, ModelsAreFoundByNameAndByNumber) {
  const RegisteredModelRow made = add("ships");
  EXPECT_EQ(made.owner_name, "determined");
  EXPECT_EQ(must(models.find("ships"))->id, made.id);
  EXPECT_EQ(must(models.find(to_string(made.id)))->name, "ships");
  EXPECT_FALSE(must(models.find("Ships")));
  EXPECT_FALSE(must(models.find("99999999999999999999999"))) << "no id is as long";
  const auto again = run(models.create({.name = "ships", .owner = {1}, .workspace = {1}}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "avoid names equal to other models (case-sensitive)");
  add("Ships");
  EXPECT_EQ(run(models.create({.name = "x", .owner = {1}, .workspace = {9}})).error().code, ErrorCode::kNotFound);
}

TEST_F(Registry, ListsByFilterAndOrder) {
  const std::int64_t vision = make_workspace();
  add("boats", {"b", "shared"});
  add("ships", {"a", "shared"}, vision);
  const RegisteredModelRow old = add("zeppelins");
  must(models.set_archived(old.id, true));
  EXPECT_THAT(names({}), ElementsAre("boats", "ships", "zeppelins"));
  EXPECT_THAT(names({.name_part = "SHIP"}), ElementsAre("ships"));
  EXPECT_THAT(names({.description_part = "finds s"}), ElementsAre("boats", "ships", "zeppelins"));
  EXPECT_THAT(names({.labels = {"a", "b"}}), ElementsAre("boats", "ships"));
  EXPECT_THAT(names({.archived = true}), ElementsAre("zeppelins"));
  EXPECT_THAT(names({.owner_names = {"admin"}}), IsEmpty());
  EXPECT_THAT(names({.owners = {{2}}, .sort = RegisteredModelSort::kName, .order = Order::kDescending}),
              ElementsAre("zeppelins", "ships", "boats"));
  EXPECT_THAT(names({.workspaces = std::vector<model::WorkspaceId>{{vision}}}), ElementsAre("ships"));
  EXPECT_THAT(names({.workspaces = std::vector<model::WorkspaceId>{}}), IsEmpty());
  EXPECT_THAT(names({.sort = RegisteredModelSort::kWorkspace, .page = {.offset = 2, .limit = 5}}),
              ElementsAre("ships"));
  EXPECT_THAT(must(models.labels({})), ElementsAre("shared", "a", "b"));
  EXPECT_THAT(must(models.labels(std::vector{model::WorkspaceId{vision}})), ElementsAre("a", "shared"));
  add("rafts", {std::string(1001, 'x'), "a"});
  EXPECT_THAT(must(models.labels({})), ElementsAre("a", "shared", "b")) << "what no list can show is left out";
}

TEST_F(Registry, ModelsChangeUntilTheyAreArchived) {
  const RegisteredModelRow made = add("ships");
  add("boats");
  const RegisteredModelRow same = must(models.change(made.id, {.description = made.description}));
  EXPECT_EQ(same.changed_at, made.changed_at) << "nothing was new";
  const RegisteredModelRow changed =
      must(models.change(made.id, {.name = "liners", .metadata = nlohmann::json({{"a", 1}}), .labels = Names{"l"}}));
  EXPECT_EQ(changed.name, "liners");
  EXPECT_EQ(changed.metadata["a"], 1);
  EXPECT_THAT(changed.labels, ElementsAre("l"));
  EXPECT_EQ(changed.description, "ships finds ships");
  EXPECT_GT(changed.changed_at, made.changed_at);
  EXPECT_EQ(run(models.change(made.id, {.name = "boats"})).error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(run(models.change(made.id, {.workspace = model::WorkspaceId{9}})).error().message,
            "workspace '9' not found");
  must(models.set_archived(made.id, true));
  EXPECT_EQ(run(models.change(made.id, {.notes = "n"})).error().message,
            "model \"liners\" is archived and cannot have attributes updated");
  const std::int64_t vision = make_workspace();
  must(models.move(made.id, {vision}));
  EXPECT_EQ(must(models.find("liners"))->workspace.value, vision);
  must(models.remove(made.id));
  EXPECT_EQ(run(models.move(made.id, {1})).error().code, ErrorCode::kNotFound);
}

TEST_F(Registry, AWorkspaceWithModelsIsNotDeleted) {
  const std::int64_t vision = make_workspace();
  const RegisteredModelRow ships = add("ships", {}, vision);
  EXPECT_EQ(run(removals.begin_delete_workspace({vision})).error().message,
            "workspace (2) contains models; move or delete models first");
  must(models.remove(ships.id));
  EXPECT_TRUE(must(removals.begin_delete_workspace({vision})));
}

struct Versions : Registry {
  Versions()
      : epoch(must(cluster.load_or_create()).epoch),
        trial(started_trial_of(must(experiments.insert(experiment())).id, "01")),
        ships(add("ships")) {}

  std::string save(std::int64_t steps) {
    const std::string uuid = uuid_v4();
    must(checkpoints.report({.uuid = uuid,
                             .task_id = trial.task_id,
                             .allocation_id = trial.task_id + ".1",
                             .report_time = WallTime(std::chrono::seconds(steps)),
                             .steps = steps,
                             .resources = {{"a", 100}, {"b", 1}}}));
    return uuid;
  }
  void end() {
    must(trials.end(epoch, trial.id, {.state = model::TrialState::kCompleted, .run = TrialExit{.run = 1}}));
    must(experiments.transition(epoch, trial.experiment, {model::ExperimentState::kActive},
                                model::ExperimentState::kCompleted, ""));
  }
  ModelVersionRow add_version(const std::string& uuid) {
    return must(model_versions.add({.model = ships.id, .checkpoint = uuid, .owner = {2}}));
  }
  Error error_of(NewModelVersion version) {
    const auto added = run(model_versions.add(std::move(version)));
    return added ? Error{} : added.error();
  }
  Error error_of(Status status) { return status ? Error{} : status.error(); }
  Status remove_files(const std::string& uuid) {
    const auto asked = run(removals.request({.uuids = {uuid}, .globs = {"**/*"}, .reason = "r"}));
    return asked ? Status() : Status(std::unexpected(asked.error()));
  }

  Epoch epoch;
  TrialRow trial;
  RegisteredModelRow ships;
};

TEST_F(Versions, AreNumberedAndNumbersAreNotGivenAgain) {
  const std::string first = save(10);
  const std::string second = save(20);
  EXPECT_EQ(add_version(first).version, 1);
  const ModelVersionRow row = add_version(second);
  EXPECT_EQ(row.version, 2);
  EXPECT_EQ(row.checkpoint.row.uuid, second);
  EXPECT_EQ(row.checkpoint.experiment, trial.experiment);
  must(model_versions.remove(ships.id, 2));
  EXPECT_EQ(add_version(second).version, 3);
  EXPECT_EQ(must(models.find("ships"))->versions, 2);
  EXPECT_FALSE(must(model_versions.find(ships.id, 2)));
  const auto page =
      must(model_versions.list_numbers({.model = ships.id, .order = Order::kDescending, .page = {.limit = 1}}));
  EXPECT_EQ(page.total, 2);
  EXPECT_EQ(page.items, std::vector<std::int64_t>{3});
  const auto rows = must(model_versions.of(ships.id, {3, 2, 1}));
  ASSERT_EQ(rows.size(), 2U) << "the second is gone";
  EXPECT_EQ(rows[0].version, 3);
  EXPECT_EQ(rows[1].version, 1);
  const ModelVersionRow changed = must(model_versions.change(ships.id, 3, {.name = "best", .labels = Names{"l"}}));
  EXPECT_EQ(changed.name, "best");
  EXPECT_EQ(run(model_versions.change(ships.id, 2, {.name = "x"})).error().code, ErrorCode::kNotFound);
}

TEST_F(Versions, AreCompletedCheckpointsThatStay) {
  EXPECT_EQ(error_of({.model = {99}, .checkpoint = uuid_v4(), .owner = {2}}).message, "model '99' not found");
  const std::string nowhere = uuid_v4();
  EXPECT_EQ(error_of({.model = ships.id, .checkpoint = nowhere, .owner = {2}}).message,
            "checkpoint '" + nowhere + "' not found");
  const std::string gone = save(10);
  must(checkpoints.patch({{gone, nlohmann::json::object()}}));
  EXPECT_THAT(error_of({.model = ships.id, .checkpoint = gone, .owner = {2}}).message,
              HasSubstr("is in STATE_DELETED state. checkpoints for model versions must be in a COMPLETED state"));
  const std::string going = save(20);
  save(30);
  EXPECT_EQ(error_of(remove_files(going)).message, "");
  EXPECT_EQ(error_of({.model = ships.id, .checkpoint = going, .owner = {2}}).code, ErrorCode::kAborted);
  must(models.set_archived(ships.id, true));
  EXPECT_EQ(error_of({.model = ships.id, .checkpoint = save(40), .owner = {2}}).message,
            "model \"ships\" is archived and cannot register new versions");
}

TEST_F(Versions, KeepTheirCheckpointsFromPeopleAndPolicies) {
  const std::string kept = save(10);
  const std::string latest = save(20);
  add_version(kept);
  end();
  const Error refused = error_of(remove_files(kept));
  EXPECT_EQ(refused.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(refused.message, "this subset of checkpoints provided are in the model registry and cannot be deleted: [" +
                                 kept + "]. They are \"ships\" version 1; delete those versions first");
  const Error patched = error_of(run(checkpoints.patch({{kept, {{"a", 100}}}})));
  EXPECT_THAT(patched.message, HasSubstr("are in the model registry and cannot be patched: [" + kept + "]"));
  must(checkpoints.patch({{kept, {{"a", 100}, {"b", 1}}}}));
  CheckpointRow again = must(checkpoints.find(kept))->row;
  must(checkpoints.report(again));
  again.resources = {{"a", 100}};
  EXPECT_THAT(error_of(run(checkpoints.report(again))).message,
              HasSubstr("cannot be reported with another state or other files: [" + kept + "]"));
  again = must(checkpoints.find(kept))->row;
  again.state = model::CheckpointState::kDeleted;
  EXPECT_EQ(error_of(run(checkpoints.report(again))).code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(must(checkpoints.find(kept))->row.state, model::CheckpointState::kCompleted);
  constexpr model::GcPolicy kKeepNothing{.save_experiment_best = 0, .save_trial_best = 0, .save_trial_latest = 0};
  EXPECT_THAT(must(removals.preview(trial.experiment, kKeepNothing)), ElementsAre(latest));
  EXPECT_EQ(error_of(run(removals.begin_delete(trial.experiment))).message,
            "experiment " + to_string(trial.experiment) +
                " has checkpoints in the model registry: \"ships\" version 1. Delete those versions first");
  sql("INSERT INTO projects (name, workspace_id, owner_id) VALUES ('boats', 1, 1) RETURNING id");
  sql("UPDATE experiments SET project_id = 2 RETURNING id");
  EXPECT_EQ(run(removals.begin_delete_project({2})).error().message,
            "project (2) has checkpoints in the model registry: \"ships\" version 1. Delete those versions first");
  must(models.remove(ships.id));
  EXPECT_EQ(error_of(remove_files(kept)).message, "");
  must(removals.begin_delete(trial.experiment));
}

TEST_F(Versions, KeepACheckpointWithoutFiles) {
  const std::string uuid = uuid_v4();
  must(checkpoints.report({.uuid = uuid, .task_id = trial.task_id, .steps = 10}));
  add_version(uuid);
  EXPECT_EQ(error_of(run(checkpoints.patch({{uuid, nlohmann::json::object()}}))).code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(must(checkpoints.find(uuid))->row.state, model::CheckpointState::kCompleted);
}

TEST_F(Versions, AreNotMadeOfWhatIsBeingDeleted) {
  const std::string uuid = save(10);
  end();
  must(removals.begin_delete(trial.experiment));
  EXPECT_EQ(error_of({.model = ships.id, .checkpoint = uuid, .owner = {2}}).message,
            "experiment " + to_string(trial.experiment) + " of checkpoint " + uuid + " is being deleted");
}

TEST_F(Versions, KnowTheTrialsThatUsedThem) {
  const std::string uuid = save(10);
  const ModelVersionRow version = add_version(uuid);
  must(trial_sources.note({.trial = trial.id, .checkpoint = uuid, .model_version = version.id}));
  EXPECT_THAT(must(trial_sources.trials_of_version(version.id, {}, 10)), ElementsAre(trial.id));
  EXPECT_THAT(must(trial_sources.trials_of_version(version.id, TrialSourceKind::kFineTuning, 10)), IsEmpty());
  must(model_versions.remove(ships.id, 1));
  EXPECT_THAT(must(trial_sources.trials_of_version(version.id, {}, 10)), IsEmpty());
  EXPECT_THAT(must(trial_sources.trials_of(uuid, {}, 10)), ElementsAre(trial.id)) << "the checkpoint knows";
  EXPECT_EQ(run(trial_sources.note({.trial = trial.id, .checkpoint = uuid, .model_version = version.id})).error().code,
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace det::store
