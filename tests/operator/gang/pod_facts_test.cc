// What is known of a pod is more than its last state says.

#include "operator/gang/pod_facts.h"

#include <gtest/gtest.h>

#include "operator/gang/pod_exit.h"

namespace det::op {
namespace {

using nlohmann::json;

// As an API server shows a pod whose training ended with `code` at 12:00:31.
json ended_pod(int code) {
  return {
      {"metadata", {{"name", "t-1-0"}, {"namespace", "ml"}, {"uid", "u-1"}}},
      {"spec", {{"nodeName", "n"}, {"containers", json::array({{{"name", "determined-container"}}})}}},
      {"status",
       {{"phase", "Failed"},
        {"containerStatuses",
         json::array({{{"name", "determined-container"},
                       {"state",
                        {{"terminated",
                          {{"exitCode", code}, {"reason", "Error"}, {"finishedAt", "2026-11-21T12:00:31Z"}}}}}}})}}}};
}

json deleted(json pod, const std::string& due, int grace) {
  pod["metadata"]["deletionTimestamp"] = due;
  pod["metadata"]["deletionGracePeriodSeconds"] = grace;
  return pod;
}

ExitClass verdict_after(const std::vector<json>& states) {
  PodFacts facts = view_pod(states.front());
  for (const json& state : states) {
    PodFacts now = view_pod(state);
    carry_over(facts, now);
    facts = std::move(now);
  }
  const auto exit = exit_of_pod(facts, *parse_rfc3339("2026-11-21T12:01:00Z"));
  return exit ? exit->kind : ExitClass::kSuccess;
}

// The deletion that removes an object says another time than the one that told the program to stop.
TEST(PodFacts, RememberWhenThePodWasFirstToldToStop) {
  json running = ended_pod(143);
  running["status"] = {{"phase", "Running"}};
  const json told = deleted(running, "2026-11-21T12:01:00Z", 30);
  const json removed = deleted(ended_pod(143), "2026-11-21T12:00:32Z", 0);
  EXPECT_EQ(verdict_after({running, told, removed}), ExitClass::kInfrastructure);
}

// As a kubelet shows a container that was not there when it ended the pod.
json unseen_pod() {
  json pod = ended_pod(137);
  json& container = pod["status"]["containerStatuses"][0];
  container["restartCount"] = 0;
  container["lastState"] = json::object();
  container["state"]["terminated"] = {{"exitCode", 137}, {"reason", "ContainerStatusUnknown"}};
  pod["status"]["reason"] = "Terminated";
  return pod;
}

bool never_ran(const json& pod) {
  return exit_of_pod(view_pod(pod), *parse_rfc3339("2026-11-21T12:01:00Z"))->never_ran;
}

TEST(PodFacts, TellAContainerThatWasNeverMadeFromOneThatWasLost) {
  EXPECT_TRUE(never_ran(unseen_pod()));
  EXPECT_FALSE(never_ran(ended_pod(137)));
  const auto with = [](const char* place, json value) {
    json pod = unseen_pod();
    pod["status"]["containerStatuses"][0][json::json_pointer(place)] = std::move(value);
    return pod;
  };
  EXPECT_FALSE(never_ran(with("/containerID", "containerd://1")));
  EXPECT_FALSE(never_ran(with("/restartCount", 1)));
  EXPECT_FALSE(never_ran(with("/lastState/terminated", {{"exitCode", 137}})));
  EXPECT_FALSE(never_ran(with("/state/terminated/startedAt", "2026-11-21T12:00:30Z")));
  EXPECT_FALSE(never_ran(with("/state/terminated/containerID", "containerd://1")));
  EXPECT_FALSE(never_ran(with("/state/terminated/exitCode", 1)));
}

TEST(PodFacts, RememberThatItRan) {
  json running = unseen_pod();
  running["status"]["containerStatuses"][0]["state"] = {{"running", json::object()}};
  PodFacts lost = view_pod(unseen_pod());
  carry_over(view_pod(running), lost);
  EXPECT_FALSE(lost.main_never_started);
}

// As our copy shows a pod whose main container waits, after what it showed before.
PodFacts waiting_after(const PodFacts& before, const std::string& reason, WallTime now) {
  json pod = ended_pod(0);
  pod["status"]["phase"] = "Pending";
  pod["status"]["containerStatuses"][0]["state"] = {{"waiting", {{"reason", reason}}}};
  PodFacts facts = see_pod(pod, now);
  carry_over(before, facts);
  return facts;
}

TEST(PodFacts, RememberSinceWhenItCannotStart) {
  const WallTime start = *parse_rfc3339("2026-11-21T12:00:00Z");
  const std::chrono::seconds second(1);
  PodFacts facts = waiting_after({}, "PodInitializing", start);
  EXPECT_EQ(facts.first_seen.stuck, std::nullopt);
  facts = waiting_after(facts, "ErrImagePull", start + second);
  facts = waiting_after(facts, "ImagePullBackOff", start + 2 * second);
  EXPECT_EQ(facts.first_seen.stuck, start + second) << "one trouble, in two words";
  facts = waiting_after(facts, "ContainerCreating", start + 3 * second);
  facts = waiting_after(facts, "ErrImagePull", start + 4 * second);
  EXPECT_EQ(facts.first_seen.stuck, start + 4 * second);
}

TEST(PodFacts, RememberWhenStatesWereSeenFirst) {
  const WallTime start = *parse_rfc3339("2026-11-21T12:05:00Z");
  json pod = ended_pod(0);
  pod["status"]["phase"] = "Running";
  PodFacts facts = see_pod(pod, start);
  const json told = deleted(pod, "2026-11-21T12:01:00Z", 30);
  for (int i = 1; i < 4; ++i) {
    PodFacts now = see_pod(told, start + std::chrono::seconds(i));
    carry_over(facts, now);
    facts = std::move(now);
  }
  EXPECT_EQ(facts.first_seen.pod, start);
  EXPECT_EQ(facts.first_seen.stop, start);
  EXPECT_EQ(facts.first_seen.deletion, start + std::chrono::seconds(1));
}

TEST(PodFacts, AreThoseOfOnePod) {
  const json other = deleted(ended_pod(143), "2026-11-21T12:00:10Z", 0);
  json again = deleted(ended_pod(3), "2026-11-21T12:00:50Z", 0);
  again["metadata"]["uid"] = "u-2";
  EXPECT_EQ(verdict_after({other, again}), ExitClass::kUserError);
}

TEST(PodFacts, SayThatAProgramEndedBeforeItsPodWasDeleted) {
  const json told = deleted(ended_pod(3), "2026-11-21T12:00:50Z", 0);
  EXPECT_EQ(verdict_after({ended_pod(3), told, deleted(ended_pod(3), "2026-11-21T12:00:52Z", 0)}),
            ExitClass::kUserError);
}

}  // namespace
}  // namespace det::op
