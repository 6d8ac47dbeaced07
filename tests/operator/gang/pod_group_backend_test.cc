#include "operator/gang/pod_group_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_get.h"
#include "pods/names.h"
#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"
#include "tests/support/run_task.h"

namespace det::op {
namespace {

using model::GangBackendKind;
using nlohmann::json;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kCreatePod = "POST /api/v1/namespaces/default/pods";

HttpResponse listing(std::vector<std::string> plurals) {
  json list = {{"kind", "APIResourceList"}, {"resources", json::array()}};
  for (std::string& plural : plurals) list["resources"].push_back({{"name", std::move(plural)}});
  return {.status = 200, .headers = {}, .body = list.dump()};
}

json pod(const std::string& name) {
  return {{"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"labels", {{pods::kLabelTrial, "a"}}},
            {"ownerReferences", {{{"uid", "uid-a"}, {"controller", true}}}}}},
          {"spec", {{"containers", {{{"name", "c"}}}}}}};
}

GangRequest gang_of(int size) {
  GangRequest gang{
      .owner = workload_of_trial({.ns = "default", .name = "a"}), .owner_uid = "uid-a", .name = "a-1", .size = size};
  for (int rank = 0; rank < size; ++rank) gang.pods.push_back(pod("a-1-" + std::to_string(rank)));
  return gang;
}

class PodGroupBackendTest : public testing::Test {
 protected:
  void start(GangBackendKind kind, const std::string& version) {
    model::SchedulerConfig config;
    config.coscheduler_name = "cosched";
    config.bind_timeout = seconds(45);
    backend.emplace(io.get_executor(), client, clock, GangChoice{.kind = kind, .version = version}, config, "default",
                    "det-operator", [this](const WorkloadKey& owner) { woken.push_back(to_string(owner)); });
    background.emplace(io);
    background->start(backend->run());
    clock.advance(seconds(1));
  }
  template <typename T>
  T done(Task<T> task) {
    std::optional<T> result;
    background->start(keep(std::move(task), result));
    clock.advance(seconds(1));
    EXPECT_TRUE(result.has_value()) << "it waits";
    return std::move(*result);
  }
  template <typename T>
  static Task<void> keep(Task<T> task, std::optional<T>& into) {
    into.emplace(co_await std::move(task));
  }
  // The reason; empty: the gang has its pods.
  std::string waits(GangRequest gang) {
    auto answer = done(backend->create(std::move(gang)));
    EXPECT_TRUE(answer.has_value()) << answer.error().message;
    return answer && *answer ? (**answer).reason : "";
  }
  static k8s::Resource groups(const std::string& group, const std::string& version) {
    return {.group = group, .version = version, .plural = "podgroups", .kind = "PodGroup"};
  }
  static k8s::Resource native_groups() { return groups("scheduling.k8s.io", "v1beta1"); }
  static k8s::Resource plugin_groups() { return groups("scheduling.x-k8s.io", "v1alpha1"); }
  json group(const k8s::Resource& resource) { return server.find(resource, {.ns = "default", .name = "a-1"}); }
  json made(int rank) { return server.find(k8s::pods(), {.ns = "default", .name = "a-1-" + std::to_string(rank)}); }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer server{io.get_executor(), clock};
  test::FaultyTransport calls{server, io.get_executor(), clock};
  k8s::Client client{calls, server, server.config(), clock, "det-test"};
  std::vector<std::string> woken;
  std::optional<PodGroupBackend> backend;
  std::optional<test::Background> background;
};

TEST_F(PodGroupBackendTest, ANativeGroupBelongsToTheTrialAndItsPodsToTheGroup) {
  start(GangBackendKind::kNative, "v1beta1");
  EXPECT_EQ(waits(gang_of(3)), "");
  const json made_group = group(native_groups());
  EXPECT_EQ(made_group["spec"]["schedulingPolicy"]["gang"]["minCount"], 3);
  EXPECT_EQ(made_group["metadata"]["ownerReferences"][0]["uid"], "uid-a");
  EXPECT_EQ(made_group["metadata"]["ownerReferences"][0]["kind"], "Trial");
  EXPECT_EQ(made_group["metadata"]["labels"][pods::kLabelTrial], "a");
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(made(rank)["spec"]["schedulingGroup"]["podGroupName"], "a-1");
}

TEST_F(PodGroupBackendTest, AGroupOfThePluginHasItsLabelItsSchedulerAndItsPatience) {
  start(GangBackendKind::kCoscheduling, "v1alpha1");
  EXPECT_EQ(backend->name(), "coscheduling");
  EXPECT_EQ(waits(gang_of(2)), "");
  EXPECT_EQ(group(plugin_groups())["spec"], json({{"minMember", 2}, {"scheduleTimeoutSeconds", 45}}));
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(made(rank)["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"], "a-1");
    EXPECT_EQ(made(rank)["spec"]["schedulerName"], "cosched");
  }
}

TEST_F(PodGroupBackendTest, ACallThatWasCutOffIsFinishedByTheNext) {
  start(GangBackendKind::kNative, "v1beta1");
  calls.lose_answer(kCreatePod);
  auto cut_off = done(backend->create(gang_of(2)));
  ASSERT_FALSE(cut_off.has_value());
  EXPECT_THAT(cut_off.error().message, HasSubstr("create pod a-1-0"));
  EXPECT_EQ(waits(gang_of(2)), "");
  EXPECT_EQ(server.all(k8s::pods()).size(), 2U);
  EXPECT_EQ(server.all(native_groups()).size(), 1U);
}

TEST_F(PodGroupBackendTest, WaitsWhereTheClusterServesNoGroups) {
  start(GangBackendKind::kNative, "");
  auto answer = done(backend->create(gang_of(2)));
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((**answer).reason, "PodGroupsUnavailable");
  EXPECT_EQ((**answer).message,
            "the cluster serves no scheduling.k8s.io podgroups, which scheduler.type \"native\" needs");
  EXPECT_TRUE(server.all(k8s::pods()).empty());
}

TEST_F(PodGroupBackendTest, IsOutdatedOnceTheClusterServesGroups) {
  start(GangBackendKind::kCoscheduling, "");
  clock.advance(seconds(30));
  EXPECT_FALSE(backend->is_outdated());
  calls.answer_next("/apis/scheduling.x-k8s.io/v1alpha1", listing({"podgroups"}));
  clock.advance(seconds(30));
  EXPECT_TRUE(backend->is_outdated());
}

// With the feature gate off a pod of a gang would start alone.
TEST_F(PodGroupBackendTest, WithdrawsItsPodsWhereTheApiServerDropsTheirGroup) {
  server.admit_with([](const std::string& collection, json& object) {
    if (collection == "v1/pods") object["spec"].erase("schedulingGroup");
  });
  start(GangBackendKind::kNative, "v1beta1");
  EXPECT_EQ(waits(gang_of(2)), "GangGateOff");
  EXPECT_TRUE(server.all(k8s::pods()).empty());
}

TEST_F(PodGroupBackendTest, APodThatIsForbiddenTakesThoseBeforeItAlong) {
  start(GangBackendKind::kCoscheduling, "v1alpha1");
  calls.delay_next(kCreatePod, {});
  const json refusal = {{"kind", "Status"},
                        {"code", 403},
                        {"reason", "Forbidden"},
                        {"message", "pods \"a-1-1\" is forbidden: exceeded quota: gpus"}};
  calls.answer_next(kCreatePod, {.status = 403, .headers = {}, .body = refusal.dump()});
  auto answer = done(backend->create(gang_of(2)));
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ((**answer).reason, "PodsForbidden");
  EXPECT_THAT((**answer).message, HasSubstr("exceeded quota: gpus"));
  EXPECT_EQ((**answer).retry_in, seconds(10));
  EXPECT_TRUE(server.all(k8s::pods()).empty());
}

TEST_F(PodGroupBackendTest, APodThatIsForbiddenTakesThoseOfEarlierCallsAlong) {
  start(GangBackendKind::kNative, "v1beta1");
  GangRequest begun = gang_of(3);
  begun.pods.pop_back();
  EXPECT_EQ(waits(std::move(begun)), "");
  server.refuse_with([](const std::string& collection, const json&) -> std::optional<det::test::StoreAnswer> {
    if (collection != "v1/pods") return std::nullopt;
    return det::test::refusal(403, "Forbidden", "pods is forbidden: exceeded quota: gpus");
  });
  GangRequest rest = gang_of(3);
  rest.pods.erase(rest.pods.begin(), rest.pods.begin() + 2);
  EXPECT_EQ(waits(std::move(rest)), "PodsForbidden");
  EXPECT_TRUE(server.all(k8s::pods()).empty());
}

TEST_F(PodGroupBackendTest, ATrialWhosePodsLostTheirGroupIsWokenAndGetsItAgain) {
  start(GangBackendKind::kNative, "v1beta1");
  EXPECT_EQ(waits(gang_of(2)), "");
  EXPECT_TRUE(woken.empty());
  server.erase(native_groups(), {.ns = "default", .name = "a-1"});
  clock.advance(seconds(1));
  EXPECT_THAT(woken, ElementsAre("trial/default/a"));
  GangRequest kept = gang_of(2);
  kept.pods.clear();
  EXPECT_TRUE(done(backend->keep(kept)));
  EXPECT_EQ(group(native_groups())["spec"]["schedulingPolicy"]["gang"]["minCount"], 2);
  const json before = group(native_groups());
  clock.advance(seconds(1));
  EXPECT_TRUE(done(backend->keep(kept)));
  EXPECT_EQ(group(native_groups()), before) << "it was there";
}

TEST_F(PodGroupBackendTest, ItsGroupGoesWhenTheRunIsOver) {
  start(GangBackendKind::kNative, "v1beta1");
  EXPECT_EQ(waits(gang_of(1)), "");
  clock.advance(seconds(1));
  EXPECT_TRUE(done(backend->release(workload_of_trial({.ns = "default", .name = "another"}))));
  EXPECT_FALSE(group(native_groups()).is_null());
  EXPECT_TRUE(done(backend->release(workload_of_trial({.ns = "default", .name = "a"}))));
  EXPECT_TRUE(group(native_groups()).is_null());
}

class ChooseGangs : public PodGroupBackendTest {
 protected:
  GangChoice choose(GangBackendKind wanted) {
    auto chosen = test::run_task(io, choose_gangs(client, wanted));
    EXPECT_TRUE(chosen.has_value()) << chosen.error().message;
    return chosen ? *chosen : GangChoice{};
  }
};

TEST_F(ChooseGangs, TakesTheNewestVersionThatHasGroups) {
  calls.answer_next("/apis/scheduling.k8s.io/v1beta1", listing({"priorityclasses"}));
  calls.answer_next("/apis/scheduling.k8s.io/v1alpha3", listing({"priorityclasses", "podgroups"}));
  const GangChoice chosen = choose(GangBackendKind::kAuto);
  EXPECT_EQ(chosen.kind, GangBackendKind::kNative);
  EXPECT_EQ(chosen.version, "v1alpha3");
}

TEST_F(ChooseGangs, ThenThePluginThenItsOwn) {
  calls.answer_next("/apis/scheduling.x-k8s.io/v1alpha1", listing({"podgroups"}));
  EXPECT_EQ(choose(GangBackendKind::kAuto).kind, GangBackendKind::kCoscheduling);
  EXPECT_EQ(choose(GangBackendKind::kAuto).kind, GangBackendKind::kOwn);
}

TEST_F(ChooseGangs, WhatIsWantedIsTakenEvenWhereItIsMissing) {
  EXPECT_EQ(choose(GangBackendKind::kNative).kind, GangBackendKind::kNative);
  EXPECT_EQ(choose(GangBackendKind::kNative).version, "");
  EXPECT_EQ(choose(GangBackendKind::kCoscheduling).version, "");
  EXPECT_EQ(choose(GangBackendKind::kOwn).kind, GangBackendKind::kOwn);
}

TEST_F(ChooseGangs, DoesNotTakeAnErrorForAnAbsence) {
  calls.answer_next(
      "/apis/scheduling.k8s.io/v1beta1",
      {.status = 403, .headers = {}, .body = R"({"kind": "Status", "code": 403, "reason": "Forbidden"})"});
  EXPECT_FALSE(test::run_task(io, choose_gangs(client, GangBackendKind::kAuto)).has_value());
}

}  // namespace
}  // namespace det::op
