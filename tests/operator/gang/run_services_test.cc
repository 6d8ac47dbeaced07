// Which services a run has, and that the store hears of them once.

#include "operator/gang/run_services.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::op {
namespace {

using store::ProxyService;
using testing::ElementsAre;

ProxyService service(const std::string& id, int port) {
  ProxyService made;
  made.id = id;
  made.task_id = "t";
  made.allocation_id = "t.1";
  made.address = "10.0.0.7";
  made.port = port;
  made.owner = {2};
  return made;
}

std::vector<ProxyService> opened(const std::vector<model::ProxyPort>& ports, const std::string& address = "10.0.0.7") {
  return services_of(
      {.task_id = "t", .allocation_id = "t.1", .address = address, .owner = model::UserId{2}, .ports = ports});
}

PodFacts pod(int rank, const std::string& ip) {
  PodFacts facts;
  facts.rank = rank;
  facts.ip = ip;
  return facts;
}

TEST(ServicesOfARun, AreThePortsOfItsConfiguration) {
  ProxyService tcp = service("t:22", 22);
  tcp.is_tcp = tcp.is_unauthenticated = true;
  EXPECT_THAT(opened({{.port = 8000}, {.port = 22, .proxy_tcp = true, .unauthenticated = true}}),
              ElementsAre(service("t:8000", 8000), tcp));
}

TEST(ServicesOfARun, AreNoneBeforeItsPodHasAnAddress) {
  EXPECT_TRUE(opened({{.port = 8000}}, "").empty());
  EXPECT_EQ(first_address({}), "");
  EXPECT_EQ(first_address({pod(1, "10.0.0.8")}), "");
  EXPECT_EQ(first_address({pod(1, "10.0.0.8"), pod(0, "10.0.0.7")}), "10.0.0.7");
}

TEST(ServicesOfARun, TheDefaultOneIsTheTasksOwnToo) {
  EXPECT_THAT(opened({{.port = 8000, .is_default = true}}), ElementsAre(service("t:8000", 8000), service("t", 8000)));
}

TEST(ServicesOfARun, NoTwoHaveOneId) {
  EXPECT_THAT(opened({{.port = 8000},
                      {.port = 8000, .proxy_tcp = true},
                      {.port = 9, .is_default = true},
                      {.port = 10, .is_default = true}}),
              ElementsAre(service("t:8000", 8000), service("t:9", 9), service("t", 9), service("t:10", 10)));
}

struct Published : store::StoreTest {
  Published() : trial(started_trial()), allocation(model::allocation_id(trial.task_id, 1)) {}

  // Of the trial, at this port.
  [[nodiscard]] std::vector<ProxyService> at(int port) const {
    ProxyService made = service(trial.task_id, port);
    made.task_id = trial.task_id;
    made.allocation_id = allocation;
    return {made};
  }
  // The row's version changes with each write.
  std::string version() { return sql("SELECT xmin FROM proxy_services"); }

  store::TrialRow trial;
  std::string allocation;
  RunServices proxied{services, must(cluster.load_or_create()).epoch};
};

TEST_F(Published, ServicesAreSaidOnceAndAgainWhenTheyChange) {
  must(proxied.publish(trial.task_id, allocation, {}));
  EXPECT_EQ(version(), "") << "nothing to publish";
  must(proxied.publish(trial.task_id, allocation, at(8000)));
  EXPECT_EQ(must(services.find(trial.task_id)).service, at(8000).front());
  sql("DELETE FROM proxy_services");
  must(proxied.publish(trial.task_id, allocation, at(8000)));
  EXPECT_EQ(version(), "") << "the store was not asked";
  must(proxied.publish(trial.task_id, allocation, at(9000)));
  EXPECT_EQ(must(services.find(trial.task_id)).service, at(9000).front());
}

TEST_F(Published, ServicesOfAForgottenTaskAreSaidAnew) {
  must(proxied.publish(trial.task_id, allocation, at(8000)));
  sql("DELETE FROM proxy_services");
  proxied.forget(trial.task_id);
  must(proxied.publish(trial.task_id, allocation, at(8000)));
  EXPECT_NE(version(), "");
}

TEST_F(Published, WhatTheStoreRefusedIsSaidAgain) {
  EXPECT_FALSE(run(proxied.publish(trial.task_id, "no.1", at(8000))));
  must(proxied.publish(trial.task_id, allocation, at(8000)));
  EXPECT_NE(version(), "");
}

}  // namespace
}  // namespace det::op
