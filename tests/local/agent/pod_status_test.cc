#include "local/agent/pod_status.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/local/agent/fake_pod_api.h"

namespace det::local {
namespace {

using nlohmann::json;
using State = ContainerRecord::State;

ContainerRecord container(const std::string& name, State state, std::optional<int> code = {}) {
  ContainerRecord record;
  record.name = name;
  record.state = state;
  if (code)
    record.ended = Termination{.exit_code = *code,
                               .reason = "Error",
                               .message = {},
                               .started_at = {},
                               .finished_at = WallTime(),
                               .container_id = {}};
  record.is_final = code.has_value();
  return record;
}

PodRecord pod(std::vector<ContainerRecord> containers) {
  PodRecord record;
  record.containers = std::move(containers);
  record.has_sandbox = true;
  record.is_initialized = true;
  return record;
}

json status_of(PodRecord record) {
  return pod_status(record, NodeFacts{.name = "n"}, WallTime());
}

// "Status Reason Message" of a condition.
std::string said(const json& status, const std::string& type) {
  const json condition = test::condition(status, type);
  if (condition.is_null()) return "none";
  std::string out = condition["status"];
  for (const char* part : {"reason", "message"}) {
    if (condition[part].is_string()) out += " " + condition[part].get<std::string>();
  }
  return out;
}

TEST(PodStatus, HoldsThePhaseBackUntilNothingOfThePodCanRun) {
  PodRecord record = pod({container("a", State::kTerminated, 0)});
  EXPECT_EQ(status_of(record)["phase"], "Running");
  EXPECT_EQ(said(status_of(record), "Ready"), "False PodCompleted");
  EXPECT_EQ(said(status_of(record), "Initialized"), "True PodCompleted");
  EXPECT_EQ(said(status_of(record), "PodReadyToStartContainers"), "True");
  record.is_over = true;
  EXPECT_EQ(status_of(record)["phase"], "Succeeded");
  EXPECT_EQ(said(status_of(record), "PodReadyToStartContainers"), "False");
}

TEST(PodStatus, IsPendingWhileOneContainerWasNeverStarted) {
  const json status = status_of(pod({container("a", State::kRunning), container("b", State::kWaiting)}));
  EXPECT_EQ(status["phase"], "Pending");
  EXPECT_EQ(said(status, "ContainersReady"), "False ContainersNotReady containers with unready status: [b]");
}

TEST(PodStatus, NamesTheInitContainersThatArePending) {
  PodRecord record = pod({container("a", State::kWaiting)});
  record.is_initialized = false;
  record.init_containers = {container("i", State::kTerminated, 0), container("j", State::kRunning),
                            container("k", State::kWaiting)};
  EXPECT_EQ(said(status_of(record), "Initialized"),
            "False ContainersNotInitialized containers with incomplete status: [j k]");
  EXPECT_EQ(status_of(record)["phase"], "Pending");
}

TEST(PodStatus, OfAnInitContainerThatFailedStaysPendingAtFirst) {
  PodRecord record = pod({container("a", State::kWaiting)});
  record.is_initialized = false;
  record.init_containers = {container("i", State::kTerminated, 4)};
  EXPECT_EQ(status_of(record)["phase"], "Pending");
  EXPECT_EQ(said(status_of(record), "Ready"), "False PodFailed");
  record.is_over = true;
  EXPECT_EQ(status_of(record)["phase"], "Failed");
}

TEST(PodStatus, GivesTheNodesOwnReasonTogetherWithThePhase) {
  PodRecord record = pod({container("a", State::kRunning)});
  record.is_failed = record.is_disrupted = true;
  record.reason = "Terminated";
  record.message = "why";
  EXPECT_FALSE(status_of(record).contains("reason"));
  EXPECT_EQ(said(status_of(record), "DisruptionTarget"), "none");
  record.containers = {container("a", State::kTerminated, 143)};
  record.is_over = true;
  EXPECT_EQ(status_of(record)["reason"], "Terminated");
  EXPECT_EQ(said(status_of(record), "DisruptionTarget"), "True TerminationByKubelet why");
}

}  // namespace
}  // namespace det::local
