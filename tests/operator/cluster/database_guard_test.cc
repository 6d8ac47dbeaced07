#include "operator/cluster/database_guard.h"

#include <chrono>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "pods/names.h"
#include "tests/store/fixture.h"
#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"

namespace det::op {
namespace {

using nlohmann::json;

json experiment_object(const std::string& name, json conditions) {
  return {{"apiVersion", "det-operator.dev/v1alpha1"},
          {"kind", "Experiment"},
          {"metadata", {{"name", name}, {"namespace", "team"}, {"generation", 3}}},
          {"spec", {{"config", {{"name", name}}}}},
          {"status", {{"id", 7}, {"conditions", std::move(conditions)}}}};
}

json condition(const std::string& type, const std::string& status) {
  return {{"type", type}, {"status", status}, {"reason", "R"}, {"message", ""}};
}

struct DatabaseGuardTest : store::StoreTest {
  Task<bool> admitted_now() {
    co_await guard.admit();
    co_return true;
  }
  Task<void> admit() { admitted = co_await admitted_now(); }
  // Runs the loop until it is so, for at most a minute.
  void until(const std::function<bool()>& claim) {
    const auto end = std::chrono::steady_clock::now() + store::kPatience;
    while (!claim()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "it did not happen";
      io.restart();
      io.run_for(std::chrono::milliseconds(5));
    }
  }
  [[nodiscard]] json stalled(const std::string& name, const k8s::Resource& resource = k8s::experiments()) const {
    const json found = api.find(resource, {.ns = "team", .name = name});
    for (const json& each : found.at("status").at("conditions")) {
      if (each.at("type") == "Stalled") return each;
    }
    return nullptr;
  }
  [[nodiscard]] std::string remembered() const {
    return get_string(get_any(api.find(k8s::config_maps(), memory), "data"), "incarnation");
  }

  const k8s::ObjectKey memory{.ns = "home", .name = "det-operator-database"};
  SystemClock clock;
  test::FakeApiServer api{io.get_executor(), clock};
  k8s::Client client{api, api, api.config(), clock, "test"};
  store::ClusterStore cluster{pool};
  DatabaseGuardOptions guarded{.ns = memory.ns,
                               .name = memory.name,
                               .objects_ns = {},
                               .is_ours = [](const std::string& controller_class) { return controller_class.empty(); },
                               .ask_again = std::chrono::milliseconds(20)};
  DatabaseGuard guard{client, clock, cluster, guarded};
  bool admitted = false;
};

TEST_F(DatabaseGuardTest, RemembersTheFirstDatabaseItSees) {
  EXPECT_TRUE(run(admitted_now()));
  EXPECT_EQ(remembered(), must(cluster.load_or_create()).incarnation);
  EXPECT_TRUE(run(admitted_now())) << "and knows it again";
}

TEST_F(DatabaseGuardTest, StartsNothingOnAnotherDatabaseAndSaysWhatToDo) {
  api.create(k8s::config_maps(), {{"metadata", {{"name", memory.name}, {"namespace", memory.ns}}},
                                  {"data", {{"incarnation", "the-one-before"}}}});
  api.create(k8s::experiments(),
             experiment_object("trains", {condition("Accepted", "True"), condition("Running", "True")}));
  api.create(k8s::experiments(), experiment_object("is-over", json::array({condition("Complete", "True")})));
  api.create(k8s::tasks(),
             {{"metadata", {{"name", "notebook"}, {"namespace", "team"}}}, {"spec", {{"type", "Notebook"}}}});
  json foreign = experiment_object("of-others", json::array());
  foreign["metadata"]["annotations"] = {{std::string(pods::kAnnotationClass), "another"}};
  api.create(k8s::experiments(), std::move(foreign));

  test::Background background(io);
  background.start(admit());
  until([this] { return !stalled("trains").is_null(); });
  EXPECT_EQ(stalled("trains").at("status"), "True");
  EXPECT_EQ(stalled("trains").at("reason"), "DatabaseReplaced");
  EXPECT_TRUE(
      stalled("trains").at("message").get<std::string>().contains("delete the ConfigMap home/det-operator-database"));
  until([this] { return api.find(k8s::tasks(), {.ns = "team", .name = "notebook"}).contains("status"); });
  EXPECT_EQ(stalled("notebook", k8s::tasks()).at("reason"), "DatabaseReplaced");
  const json kept = api.find(k8s::experiments(), {.ns = "team", .name = "trains"}).at("status");
  EXPECT_EQ(kept.at("id"), 7);
  EXPECT_EQ(kept.at("conditions").size(), 3U) << "the other conditions stay";
  EXPECT_TRUE(stalled("is-over").is_null());
  EXPECT_TRUE(stalled("of-others").is_null());
  EXPECT_FALSE(admitted);

  api.erase(k8s::config_maps(), memory);
  until([this] { return admitted; });
  EXPECT_EQ(remembered(), must(cluster.load_or_create()).incarnation);
}

}  // namespace
}  // namespace det::op
