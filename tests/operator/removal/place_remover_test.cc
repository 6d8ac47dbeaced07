// Projects and workspaces that are deleted while leaders come and go: the whole operator, over a Kubernetes API in
// memory.

#include "operator/removal/place_remover.h"

#include <functional>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "operator/operator.h"
#include "store/logs/log_writer.h"
#include "tests/store/fixture.h"
#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr model::UserId kUser{2};

struct PlaceRemoverTest : store::StoreTest {
  PlaceRemoverTest() {
    settings.task_url = "http://det:8080";
    settings.cluster_id = "c";
    settings.harness_config_map = "det-harness";
    settings.controller_class = "det-operator";
    settings.master = model::read_master_config({{"scheduler", {{"type", "kube-scheduler"}}}}).value().config;
    api.admit_with([](const std::string& collection, json& object) {
      if (collection != "v1/secrets") return;
      for (const auto& [name, text] : object["stringData"].items())
        object["data"][name] = base64_encode(text.get<std::string>());
    });
  }

  // A new leader, as after a kill.
  void lead() {
    background.stop();
    leader = std::make_unique<Operator>(io.get_executor(), client, clock, stores, gate, settings, options);
    background.start(leader->lead());
  }
  void until(const std::function<bool()>& claim) { test::run_until(io, claim); }

  model::ExperimentId over(model::ProjectId project) {
    store::NewExperiment made = experiment();
    made.project = project;
    const auto id = must(experiments.insert(made)).id;
    sql("UPDATE experiments SET state = 'COMPLETED', end_time = now() WHERE id = " + to_string(id) + " RETURNING id");
    return id;
  }
  // Accepted from its object, as kubectl makes it.
  std::string command(const std::string& workspace) {
    api.create(
        k8s::tasks(),
        {{"apiVersion", "det-operator.dev/v1alpha1"},
         {"kind", "Task"},
         {"metadata", {{"name", "cmd"}, {"namespace", "team"}}},
         {"spec", {{"type", "Command"}, {"workspace", workspace}, {"config", {{"entrypoint", {"sleep", "1000"}}}}}}});
    until([&] { return !must(tasks.open()).empty(); });
    return must(tasks.open())[0].task.id;
  }
  bool is_gone(model::WorkspaceId id) { return !must(workspaces.owner(id)); }

  model::WorkspaceId team = must(workspaces.create({.name = "team", .owner = kUser, .agent = {}, .defaults = {}}));
  model::ProjectId ships =
      must(projects.create({.workspace = team, .name = "ships", .description = {}, .key = {}, .owner = kUser}));

  SystemClock clock;
  test::FakeApiServer api{io.get_executor(), clock};
  k8s::Client client{api, api, api.config(), clock, "test"};
  store::ConfigPolicyStore config_policies{pool};
  store::LogRetentionStore log_retention{pool};
  store::QueuePlaceStore queue_places{pool};
  store::PoolBindingStore pool_bindings{pool};
  store::LogWriter log_writer{io.get_executor(), {.url = url}};
  OperatorStores stores{.cluster = cluster,
                        .users = users,
                        .contexts = contexts,
                        .experiments = experiments,
                        .trials = trials,
                        .allocations = allocations,
                        .checkpoints = checkpoints,
                        .searcher = searcher,
                        .logs = log_writer,
                        .templates = templates,
                        .config_policies = config_policies,
                        .workspaces = workspaces,
                        .tasks = tasks,
                        .services = services,
                        .removals = removals,
                        .log_retention = log_retention,
                        .unmanaged = unmanaged,
                        .queue_places = queue_places};
  accept::Gate gate{client, clock,
                    accept::GateStores{.templates = templates,
                                       .workspaces = workspaces,
                                       .config_policies = config_policies,
                                       .pool_bindings = pool_bindings,
                                       .checkpoints = checkpoints,
                                       .contexts = contexts,
                                       .experiments = experiments,
                                       .trials = trials,
                                       .webhooks = webhooks},
                    nullptr};
  pods::PodSettings settings;
  OperatorOptions options{.ns = {}, .controller_class = "det-operator", .home_ns = "home"};
  std::unique_ptr<Operator> leader;
  test::Background background{io};
};

TEST_F(PlaceRemoverTest, TakesAWorkspaceWithItsExperimentsAndTasks) {
  over(ships);
  over(ships);
  lead();
  const std::string task = command("team");
  EXPECT_FALSE(must(removals.begin_delete_workspace(team)));
  leader->on_removals_changed();
  until([&] { return is_gone(team); });
  EXPECT_EQ(sql("SELECT count(*)::text FROM experiments"), "0");
  EXPECT_FALSE(must(tasks.find(task)));
  EXPECT_TRUE(api.find(k8s::tasks(), {.ns = "team", .name = "cmd"}).is_null());
}

// What one leader began the next one finds in the rows.
TEST_F(PlaceRemoverTest, GoesOnUnderTheNextLeader) {
  over(ships);
  lead();
  const std::string task = command("team");
  EXPECT_FALSE(must(removals.begin_delete_workspace(team)));
  for (int kills = 0; kills < 5; ++kills) lead();
  until([&] { return is_gone(team); });
  EXPECT_FALSE(must(projects.find(ships)));
  EXPECT_FALSE(must(tasks.find(task)));
}

TEST_F(PlaceRemoverTest, GivesUpWhereAnExperimentCannotBeDeletedAndTriesAgain) {
  const auto id = over(ships);
  EXPECT_FALSE(must(removals.begin_delete_workspace(team)));
  // As the collector leaves one whose files nobody could remove.
  must(removals.note_begun(must(cluster.load_or_create()).epoch, ships, id));
  sql("UPDATE experiments SET state = 'DELETE_FAILED', message = 'no storage' WHERE id = " + to_string(id) +
      " RETURNING id");
  lead();
  until([&] { return must(workspaces.find(team, kUser)).state == store::PlaceState::kDeleteFailed; });
  EXPECT_EQ(must(workspaces.find(team, kUser)).error, "project 'ships': experiment " + to_string(id) + ": no storage");
  EXPECT_FALSE(must(removals.begin_delete_workspace(team)));
  leader->on_removals_changed();
  until([&] { return is_gone(team); });
}

TEST_F(PlaceRemoverTest, WaitsForWhatIsStopping) {
  const auto id = over(ships);
  sql("UPDATE experiments SET state = 'STOPPING_KILLED', end_time = NULL WHERE id = " + to_string(id) +
      " RETURNING id");
  EXPECT_FALSE(must(removals.begin_delete_project(ships)));
  lead();
  until([&] { return leader->is_leading(); });
  EXPECT_EQ(must(projects.find(ships))->state, store::PlaceState::kDeleting);
  sql("UPDATE experiments SET state = 'CANCELED', end_time = now() WHERE id = " + to_string(id) + " RETURNING id");
  until([&] { return !must(projects.find(ships)); });
  EXPECT_FALSE(must(experiments.find(id)));
}

}  // namespace
}  // namespace det::op
