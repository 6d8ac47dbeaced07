// What is asked of a generic task and those below it, and of objects that are not theirs any more.

#include <gmock/gmock.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct Family : ApiTest {
  std::string make(json body = json::object()) {
    body["config"] = "entrypoint: [echo, task ran]";
    const Answer made = post("/api/v1/generic-tasks", body);
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body().value("taskId", "");
  }
  k8s::ObjectKey key(const std::string& id) { return {.ns = "team", .name = must(tasks.find(id))->name}; }
  json spec(const std::string& id) { return kubernetes.find(k8s::tasks(), key(id)).at("spec"); }
  Answer ask(const std::string& id, const char* verb) {
    return post("/api/v1/tasks/" + id + "/" + verb, json::object());
  }
};

TEST_F(Family, OneThatCannotBeAskedKeepsNobodyElseFromIt) {
  const std::string root = make();
  const std::string bad = make({{"parentId", root}, {"noPause", false}});
  const std::string worse = make({{"parentId", root}, {"noPause", false}});
  const std::string good = make({{"parentId", bad}, {"noPause", false}});
  services.settings.master.task_namespaces = {"team"};
  sql("UPDATE standalone_tasks s SET namespace = 'gone' FROM tasks k WHERE k.number = s.task_number AND k.id IN ('" +
      bad + "', '" + worse + "')");
  const auto answer = [&](const char* verb) {
    const Answer refused = ask(root, verb);
    EXPECT_NE(refused.status, 200);
    EXPECT_THAT(refused.error(),
                testing::AllOf(HasSubstr("task " + bad + ": "), HasSubstr("gone"), HasSubstr("and so of 1 more")));
  };
  answer("pause");
  EXPECT_EQ(spec(root)["suspend"], true);
  EXPECT_EQ(spec(good)["suspend"], true);
  answer("unpause");
  EXPECT_EQ(spec(good)["suspend"], false);
  answer("kill");
  EXPECT_EQ(spec(root)["stop"], "Kill");
  EXPECT_EQ(spec(good)["stop"], "Kill");
}

// Its parent runs on for a moment after it was asked to end.
TEST_F(Family, WhoIsStartedMeanwhileIsKilledToo) {
  const std::string root = make();
  const store::Epoch epoch = must(cluster.load_or_create()).epoch;
  const k8s::ObjectKey root_key = key(root);
  const k8s::ObjectKey late_key{.ns = "team", .name = "late"};
  store::NewTask late{.id = uuid_v4(),
                      .type = "GENERIC",
                      .nonce = uuid_v4(),
                      .ns = late_key.ns,
                      .name = late_key.name,
                      .owner = {2},
                      .config = json::object()};
  late.kin.parent = root;
  services.settings.verb_patience = std::chrono::hours(1);
  bool is_reconciled = false;
  const auto reconcile = [&]() -> Task<void> {
    const auto is_asked = [&](const k8s::ObjectKey& one) {
      return kubernetes.find(k8s::tasks(), one)["spec"].contains("stop");
    };
    const store::TaskEnd over;
    while (!is_asked(root_key)) co_await clock.sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(co_await tasks.insert(late));
    kubernetes.create(k8s::tasks(), {{"metadata", {{"name", late_key.name}, {"namespace", late_key.ns}}},
                                     {"spec", {{"type", "Generic"}, {"config", json::object()}}}});
    EXPECT_TRUE(co_await tasks.end(epoch, root, over));
    while (!is_asked(late_key)) co_await clock.sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(co_await tasks.end(epoch, late.id, over));
    is_reconciled = true;
  };
  asio::co_spawn(io, reconcile(), asio::detached);
  EXPECT_EQ(ask(root, "kill").status, 200);
  EXPECT_TRUE(is_reconciled) << "the effect is there once it is answered";
}

TEST_F(Family, AnObjectOfTheSameNameIsNotATasksOwn) {
  const std::string id = make();
  kubernetes.erase(k8s::tasks(), key(id));
  kubernetes.create(k8s::tasks(), {{"metadata", {{"name", key(id).name}, {"namespace", "team"}}},
                                   {"spec", {{"type", "Generic"}, {"suspend", true}}}});
  EXPECT_THAT(ask(id, "unpause").error(), HasSubstr("as it is not in paused state"));
  EXPECT_EQ(ask(id, "kill").status, 200) << "it is gone";
  EXPECT_EQ(spec(id), json({{"type", "Generic"}, {"suspend", true}}));
}

TEST_F(Family, OneIsNotPausedBehindTheBackOfGit) {
  const std::string id = make();
  kubernetes.erase(k8s::tasks(), key(id));
  const json field = {{"f:spec", {{"f:suspend", json::object()}}}};
  const json keeper = {{"manager", "argocd-controller"}, {"operation", "Apply"}, {"fieldsV1", field}};
  const json made = kubernetes.create(
      k8s::tasks(),
      {{"metadata", {{"name", key(id).name}, {"namespace", "team"}, {"managedFields", json::array({keeper})}}},
       {"spec", {{"type", "Generic"}, {"suspend", false}}}});
  sql("UPDATE standalone_tasks SET uid = '" + made["metadata"]["uid"].get<std::string>() + "'");
  const Answer refused = ask(id, "pause");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.error(), testing::AllOf(HasSubstr("kept by 'argocd-controller'"), HasSubstr("Task team/")));
  EXPECT_EQ(spec(id)["suspend"], false);
}

TEST_F(Family, ATaskIsLeftAloneWhereTheServerMayNotWrite) {
  const std::string id = make();
  services.settings.master.task_namespaces = {"elsewhere"};
  EXPECT_THAT(ask(id, "kill").error(), HasSubstr("team"));
  EXPECT_FALSE(spec(id).contains("stop"));
}

}  // namespace
}  // namespace det::api
