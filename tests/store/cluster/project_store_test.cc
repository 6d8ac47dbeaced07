#include "store/cluster/project_store.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr model::UserId kUser{2};

struct Projects : StoreTest {
  model::WorkspaceId team = must(workspaces.create({.name = "team", .owner = kUser, .agent = {}, .defaults = {}}));

  model::ProjectId make(const std::string& name, const std::string& key = {}) {
    return must(projects.create({.workspace = team, .name = name, .description = "d", .key = key, .owner = kUser}));
  }
  ProjectRow find(model::ProjectId id) { return must(projects.find(id)).value(); }
  Names names(ProjectFilter filter = {}) {
    filter.workspace = team;
    Names found;
    for (const ProjectRow& row : must(projects.list(std::move(filter))).items) found.push_back(row.name);
    return found;
  }
  template <typename T>
  std::string refusal(Task<T> task) {
    const T result = run(std::move(task));
    return result ? std::string() : result.error().message;
  }
  model::ExperimentId experiment_in(model::ProjectId project) {
    NewExperiment made = experiment();
    made.project = project;
    return must(experiments.insert(made)).id;
  }
};

TEST_F(Projects, CountTheirExperiments) {
  const auto id = make("ships");
  EXPECT_FALSE(find(id).last_experiment_started_at);
  const auto first = experiment_in(id);
  started_trial_of(first, "01");
  experiment_in(id);
  sql("UPDATE experiments SET state = 'COMPLETED' WHERE id = " + to_string(first) + " RETURNING id");
  const ProjectRow row = find(id);
  EXPECT_EQ(row.experiments, 2);
  EXPECT_EQ(row.active_experiments, 1);
  EXPECT_EQ(row.trials, 1);
  EXPECT_TRUE(row.last_experiment_started_at);
  EXPECT_EQ(row.workspace_name, "team");
  EXPECT_EQ(row.owner_name, "determined");
  EXPECT_EQ(must(projects.find({99})), std::nullopt);
}

TEST_F(Projects, AreListedAsAskedFor) {
  make("_TestPatchedProject");
  make("_TestPRJ");
  make("_TestEarly");
  EXPECT_THAT(names(), ElementsAre("_TestPatchedProject", "_TestPRJ", "_TestEarly"));
  EXPECT_THAT(names({.order = Order::kDescending}), ElementsAre("_TestEarly", "_TestPRJ", "_TestPatchedProject"));
  EXPECT_THAT(names({.sort = ProjectSort::kName}), ElementsAre("_TestEarly", "_TestPatchedProject", "_TestPRJ"));
  EXPECT_THAT(names({.sort = ProjectSort::kCreationTime, .page = {.limit = 2}}),
              ElementsAre("_TestPatchedProject", "_TestPRJ"));
  EXPECT_EQ(names({.sort = ProjectSort::kLastExperimentStartTime}).size(), 3U);
  EXPECT_EQ(names({.sort = ProjectSort::kDescription}).size(), 3U);
  EXPECT_THAT(names({.users = {"admin"}}), IsEmpty());
  must(projects.set_archived(must(projects.list({.name = "_testprj"})).items.at(0).id, true));
  EXPECT_THAT(names({.archived = true}), ElementsAre("_TestPRJ"));
}

// `det project delete team ships` takes the first that its name finds.
TEST_F(Projects, OfANameInThisCaseStandFirst) {
  make("Ships");
  make("ships");
  EXPECT_THAT(names({.name = "ships"}), ElementsAre("ships", "Ships"));
  EXPECT_THAT(names({.name = "Ships"}), ElementsAre("Ships", "ships"));
}

TEST_F(Projects, HaveKeysHoweverManyNamesBeginAlike) {
  // All of three letters and two more.
  sql("INSERT INTO projects (workspace_id, name, owner_id, key) SELECT 1, 'p' || c || d, 1, 'EXP' || c || d FROM "
      "unnest(string_to_array('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', NULL)) c, "
      "unnest(string_to_array('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', NULL)) d RETURNING 1");
  const std::string key = find(make("exp-1")).key;
  EXPECT_EQ(key.size(), 5U);
  EXPECT_FALSE(key.starts_with("EXP")) << key;
}

TEST_F(Projects, HaveKeysOfTheirOwn) {
  const std::string made = find(make("my ships")).key;
  EXPECT_EQ(made.size(), 5U);
  EXPECT_TRUE(made.starts_with("MYS")) << made;
  const auto id = make("boats", "BOA1");
  EXPECT_EQ(must(projects.find_by_key("boa1"))->id, id);
  EXPECT_EQ(
      refusal(projects.create({.workspace = team, .name = "other", .description = {}, .key = "BOA1", .owner = kUser})),
      "project key BOA1 is already in use");
  EXPECT_EQ(
      refusal(projects.create({.workspace = team, .name = "boats", .description = {}, .key = {}, .owner = kUser})),
      "project name boats is already in use");
  must(projects.change(id, {.name = "canoes", .description = "", .key = "CAN"}));
  EXPECT_EQ(find(id).key, "CAN");
  EXPECT_EQ(find(id).description, "");
}

TEST_F(Projects, OfAnArchivedOrImmutablePlaceStayAsTheyAre) {
  const auto id = make("ships");
  must(projects.set_archived(id, true));
  EXPECT_EQ(refusal(projects.change(id, {.name = "x"})), "project (2) is archived and cannot have attributes updated");
  must(projects.set_archived(id, false));
  must(workspaces.set_archived(team, true));
  EXPECT_TRUE(find(id).archived);
  EXPECT_EQ(refusal(projects.set_archived(id, true)),
            "This project belongs to an archived workspace. To make changes, first unarchive the workspace.");
  EXPECT_EQ(refusal(projects.move(id, {1})), "workspace (1) is immutable and cannot add new projects");
  EXPECT_EQ(refusal(projects.create({.workspace = team, .name = "n", .description = {}, .key = {}, .owner = kUser})),
            "workspace (2) is archived and cannot add new projects");
  EXPECT_EQ(refusal(projects.set_archived({1}, true)), "project (1) is not archive-able by this user");
  EXPECT_EQ(refusal(projects.change({1}, {.name = "x"})),
            "project (1) is immutable and cannot have attributes updated");
}

TEST_F(Projects, MoveToAnotherWorkspace) {
  const auto id = make("ships");
  const auto other = must(workspaces.create({.name = "other", .owner = kUser, .agent = {}, .defaults = {}}));
  must(projects.move(id, other));
  EXPECT_EQ(find(id).workspace, other);
  make("ships");
  EXPECT_EQ(refusal(projects.move(id, team)), "project with name 'ships' already exists in target workspace");
  EXPECT_EQ(refusal(projects.move({1}, team)), "project (1) does not exist or not moveable by this user");
  EXPECT_EQ(refusal(projects.move(id, {99})), "workspace '99' not found");
}

TEST_F(Projects, KeepNotesUpToALimit) {
  const auto id = make("ships");
  const nlohmann::json one = {{{"name", "a"}, {"contents", "b"}}};
  EXPECT_EQ(must(projects.set_notes(id, one, true)).size(), 1U);
  EXPECT_EQ(must(projects.set_notes(id, one, true)).size(), 2U);
  EXPECT_EQ(must(projects.set_notes(id, one, false)), one);
  EXPECT_EQ(find(id).notes, one);
  const nlohmann::json large = {{{"name", "a"}, {"contents", std::string(ProjectStore::kLongestNotes, 'x')}}};
  EXPECT_EQ(refusal(projects.set_notes(id, large, true)), "the notes of a project are at most 1 MiB together");
  EXPECT_EQ(find(id).notes, one);
}

TEST_F(Projects, TakeExperimentsOfOthers) {
  const auto from = make("from");
  const auto to = make("to");
  const auto id = experiment_in(from);
  must(projects.move_experiment(id, to));
  EXPECT_EQ(must(experiments.find(id))->project, to);
  must(projects.set_archived(to, true));
  EXPECT_EQ(refusal(projects.move_experiment(id, from)),
            "project (" + to_string(to) + ") is archived and cannot have experiments moved from it");
  must(projects.set_archived(to, false));
  must(projects.set_archived(from, true));
  EXPECT_EQ(refusal(projects.move_experiment(id, from)),
            "project (" + to_string(from) + ") is archived and cannot add new experiments");
  must(projects.set_archived(from, false));
  must(experiments.set_archived(id, true));
  EXPECT_EQ(refusal(projects.move_experiment(id, from)),
            "experiment (" + to_string(id) + ") is archived and cannot be moved");
  EXPECT_EQ(refusal(projects.move_experiment({99}, from)), "experiment '99' not found");
  EXPECT_EQ(refusal(projects.move_experiment(experiment_in(from), {99})), "project '99' not found");
}

TEST_F(Projects, SayOfEachOfManyWhetherItMoved) {
  const auto from = make("from");
  const auto to = make("to");
  const auto mine = experiment_in(from);
  const auto theirs = experiment_in(from);
  sql("UPDATE experiments SET owner_id = 1 WHERE id = " + to_string(theirs) + " RETURNING id");
  const auto elsewhere = experiment_in({1});
  const auto moved =
      must(projects.move_experiments(from, {mine.value, theirs.value, elsewhere.value}, to, model::UserId{2}));
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_EQ(moved[0].error, "");
  EXPECT_EQ(moved[1].error, "only its owner and admins can do this to an experiment");
  EXPECT_EQ(moved[2].error, "experiment '" + to_string(elsewhere) + "' not found");
  EXPECT_EQ(must(experiments.find(mine))->project, to);
  EXPECT_EQ(must(experiments.find(theirs))->project, from);
}

TEST_F(Projects, ThatAreArchivedHideTheirExperimentsFromListsOfAll) {
  const auto id = make("ships");
  experiment_in(id);
  experiment_in({1});
  const auto listed = [&](ExperimentFilter filter) { return must(experiments.list(std::move(filter))).total; };
  EXPECT_EQ(listed({.archived = false}), 2);
  must(projects.set_archived(id, true));
  EXPECT_EQ(listed({.archived = false}), 1);
  EXPECT_EQ(listed({.archived = false, .project = id}), 1) << "who asks for the project means it";
  EXPECT_EQ(listed({}), 2);
}

}  // namespace
}  // namespace det::store
