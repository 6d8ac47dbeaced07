#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/local/agent/pods.h"

namespace det::local {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

TEST_F(Pods, SucceedWhenEveryContainerEndsWithZero) {
  auto one = runner(pod("Never", json::array({container("a", "echo hello"), container("b", "exit 0")})));
  const json status = finish(*one);
  EXPECT_EQ(status["phase"], "Succeeded");
  EXPECT_EQ(status["containerStatuses"][0]["state"]["terminated"]["reason"], "Completed");
  EXPECT_THAT(log("a"), HasSubstr(" F hello\n"));
}

// Phase, then why it is not ready, then the state of the first container, of each status that was sent.
std::vector<std::string> steps(const std::vector<json>& statuses) {
  std::vector<std::string> out;
  for (const json& status : statuses) {
    const json ready = test::condition(status, "Ready");
    out.push_back(status["phase"].get<std::string>() + " " +
                  (ready["reason"].is_string() ? ready["reason"].get<std::string>() : "Ready") + " " +
                  status["containerStatuses"][0]["state"].begin().key());
  }
  return out;
}

TEST_F(Pods, PassTheSameStepsAsAKubeletsAndTellTheExitCodeBeforeThePhase) {
  auto one = runner(pod("Never", json::array({container("a", "exit 3")})));
  const json failed = finish(*one);
  EXPECT_THAT(steps(api_.statuses),
              testing::ElementsAre("Pending ContainersNotReady waiting", "Running Ready running",
                                   "Running PodFailed terminated", "Failed PodFailed terminated"));
  const json& told = *std::prev(api_.statuses.end(), 2);
  EXPECT_EQ(told["containerStatuses"], failed["containerStatuses"]);
  const json& container = failed["containerStatuses"][0];
  const json& end = container["state"]["terminated"];
  EXPECT_EQ(end["exitCode"], 3);
  EXPECT_TRUE(end["startedAt"].is_string() && end["finishedAt"].is_string()) << end;
  EXPECT_EQ(end["containerID"], "sandbox://uid-1-a-0");
  EXPECT_EQ(container["containerID"], "sandbox://uid-1-a-0");
  EXPECT_EQ(container["imageID"], "any");
  EXPECT_EQ(container["started"], false);
  const auto can_start = [&](std::size_t i) {
    return test::condition(api_.statuses[i], "PodReadyToStartContainers")["status"];
  };
  EXPECT_EQ(json::array({can_start(0), can_start(1), can_start(2), can_start(3)}),
            json::array({"False", "True", "True", "False"}));
}

TEST_F(Pods, TellBothStepsOfTheirEndAlsoToAServerThatIsSlow) {
  api_.answers_after_turns = 50;
  auto one = runner(pod("Never", json::array({container("a", "exit 0")})));
  finish(*one);
  const auto seen = steps(api_.statuses);
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen[seen.size() - 2], "Running PodCompleted terminated");
  EXPECT_EQ(seen.back(), "Succeeded PodCompleted terminated");
}

TEST_F(Pods, StayRunningWhileASidecarOutlivesTheProgram) {
  json object = pod("Never", json::array({container("a", "exit 3"), container("b", "read line < /meet/go")}));
  const std::string meeting = meet(object, "go");
  auto one = runner(object);
  const auto has_ended = [](const json& s) {
    return s["containerStatuses"][0]["state"].contains("terminated") &&
           s["containerStatuses"][1]["state"].contains("running");
  };
  const json status = finish_after(*one, has_ended, [&] {
    const json& now = api_.statuses.back();
    EXPECT_EQ(now["phase"], "Running");
    EXPECT_EQ(test::condition(now, "ContainersReady")["message"], "containers with unready status: [a]");
    std::ofstream(meeting) << "go\n";
  });
  EXPECT_EQ(status["phase"], "Failed");
}

TEST_F(Pods, FailWithTheExitCodeAndTheTerminationMessage) {
  auto one = runner(pod("Never", json::array({container("a", "echo why > /dev/termination-log; exit 17")})));
  const json status = finish(*one);
  EXPECT_EQ(status["phase"], "Failed");
  const json end = status["containerStatuses"][0]["state"]["terminated"];
  EXPECT_EQ(end["exitCode"], 17);
  EXPECT_EQ(end["reason"], "Error");
  EXPECT_EQ(end["message"], "why\n");
}

TEST_F(Pods, RunInitContainersInOrderBeforeTheOthers) {
  json object = pod("Never", json::array({container("main", "cat /shared/log")}));
  object["spec"]["initContainers"] =
      json::array({container("i1", "echo one >> /shared/log"), container("i2", "echo two >> /shared/log")});
  object["spec"]["volumes"] = {{{"name", "v"}, {"emptyDir", json::object()}}};
  for (const char* list : {"containers", "initContainers"}) {
    for (json& c : object["spec"][list]) c["volumeMounts"] = {{{"name", "v"}, {"mountPath", "/shared"}}};
  }
  auto one = runner(object);
  const json status = finish(*one);
  EXPECT_EQ(status["phase"], "Succeeded");
  EXPECT_THAT(log("main"), testing::MatchesRegex(".* F one\n.* F two\n"));
}

TEST_F(Pods, FailWhenAnInitContainerFails) {
  json object = pod("Never", json::array({container("main", "echo never")}));
  object["spec"]["initContainers"] = json::array({container("i", "exit 3")});
  auto one = runner(object);
  const json status = finish(*one);
  EXPECT_EQ(status["phase"], "Failed");
  EXPECT_EQ(status["initContainerStatuses"][0]["state"]["terminated"]["exitCode"], 3);
  EXPECT_EQ(status["containerStatuses"][0]["state"]["waiting"]["reason"], "PodInitializing");
}

TEST_F(Pods, RestartAContainerThatFailedWhenTheyMay) {
  json object = pod("OnFailure", json::array({container("a", "[ -e /keep/x ] && exit 0; touch /keep/x; exit 5")}));
  object["spec"]["volumes"] = {{{"name", "v"}, {"emptyDir", {{"medium", "Memory"}}}}};
  object["spec"]["containers"][0]["volumeMounts"] = {{{"name", "v"}, {"mountPath", "/keep"}}};
  auto one = runner(object);
  const json status = finish(*one);
  EXPECT_EQ(status["phase"], "Succeeded");
  EXPECT_EQ(status["containerStatuses"][0]["restartCount"], 1);
  EXPECT_EQ(status["containerStatuses"][0]["lastState"]["terminated"]["exitCode"], 5);
}

TEST_F(Pods, SeeConfigMapsSecretsAndTheDownwardApi) {
  api_.config_maps["cm"] = {{"k", "from-map"}};
  api_.secrets["s"] = {{"password", "hidden"}};
  json object =
      pod("Never", json::array({container("a",
                                          "cat /etc/det/k /run/secrets/det/pw /info/labels /token/t; echo; echo $APP; "
                                          "stat -c %a /run/secrets/det/pw")}));
  object["spec"]["serviceAccountName"] = "sa";
  object["spec"]["volumes"] = json::parse(R"([
    {"name": "c", "configMap": {"name": "cm"}},
    {"name": "s", "secret": {"secretName": "s", "items": [{"key": "password", "path": "pw", "mode": 256}]}},
    {"name": "d", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    {"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}])");
  json& own = object["spec"]["containers"][0];
  own["volumeMounts"] =
      json::parse(R"([{"name": "c", "mountPath": "/etc/det"}, {"name": "s", "mountPath": "/var/run/secrets/det"},
    {"name": "d", "mountPath": "/info"}, {"name": "t", "mountPath": "/token"}])");
  own["env"] = json::parse(R"([{"name": "APP", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['app']"}}}])");
  auto one = runner(object);
  EXPECT_EQ(finish(*one)["phase"], "Succeeded");
  EXPECT_THAT(log("a"), HasSubstr("from-maphiddenapp=\"x\"token-of-sa-for-p\n"));
  EXPECT_THAT(log("a"), HasSubstr(" F x\n"));
  EXPECT_THAT(log("a"), HasSubstr(" F 400\n"));
}

TEST_F(Pods, GetTermThenKillWhenTheyAreStopped) {
  json object =
      pod("Always", json::array({container("polite", "trap 'exit 42' TERM; sleep 1000 & : > /meet/polite; wait"),
                                 container("deaf", "trap '' TERM; sleep 1000 & : > /meet/deaf; wait")}));
  const std::string polite = meet(object, "polite");
  const std::string deaf = meet(object, "deaf");
  auto one = runner(object);
  const json status = finish_after(*one, is_running, [&] {
    test::read_text(polite);
    test::read_text(deaf);
    one->request_stop(std::chrono::seconds(1));
  });
  EXPECT_EQ(status["containerStatuses"][0]["state"]["terminated"]["exitCode"], 42);
  EXPECT_EQ(status["containerStatuses"][1]["state"]["terminated"]["exitCode"], 137);
  // Nothing of it was told before both had ended.
  const auto seen = steps(api_.statuses);
  EXPECT_EQ(seen.back(), "Failed PodFailed terminated");
  EXPECT_EQ(seen[seen.size() - 2], "Running Ready running");
}

TEST_F(Pods, EndAtTheirDeadlineWhateverTheirProgramSays) {
  json object = pod("Always", json::array({container("a", "trap 'exit 0' TERM; sleep 1000 & wait")}));
  object["spec"]["activeDeadlineSeconds"] = 1;
  auto one = runner(object);
  const json status = finish(*one);
  EXPECT_EQ(status["phase"], "Failed");
  EXPECT_EQ(status["reason"], "DeadlineExceeded");
  for (const json& condition : status["conditions"]) EXPECT_NE(condition["type"], "DisruptionTarget");
}

TEST_F(Pods, ThatEndBeforeTheirDeadlineSucceed) {
  json object = pod("Never", json::array({container("a", "exit 0")}));
  object["spec"]["activeDeadlineSeconds"] = 9'000'000'000'000'000'000;
  EXPECT_EQ(finish(*runner(object))["phase"], "Succeeded");
}

TEST_F(Pods, WaitForAnImageThatIsNotKnownAndSaySo) {
  images_.has_default = false;
  auto one = runner(pod("Never", json::array({container("a", "exit 0")})));
  const auto waits = [](const json& s) {
    return s["containerStatuses"][0]["state"]["waiting"]["reason"] == "ErrImagePull";
  };
  const json status = finish_after(*one, waits, [&] { one->request_stop(std::chrono::seconds(0)); });
  EXPECT_EQ(status["phase"], "Failed");
  // As a kubelet has it: 137, and no time at which it ended.
  const json end = status["containerStatuses"][0]["state"]["terminated"];
  EXPECT_EQ(end["reason"], "ContainerStatusUnknown");
  EXPECT_EQ(end["exitCode"], 137);
  EXPECT_FALSE(end.contains("finishedAt"));
  EXPECT_THAT(api_.events, Contains(HasSubstr("start the node agent with --image any=DIR")));
}

TEST_F(Pods, ThatAreHeldBeginNothingMore) {
  json object = pod("Never", json::array({container("a", "exit 0")}));
  object["spec"]["volumes"] = json::parse(R"([{"name": "c", "configMap": {"name": "late"}}])");
  auto one = runner(object);
  const auto waits = [](const json& s) { return s["containerStatuses"][0]["state"]["waiting"].contains("message"); };
  // It comes as far as its start, and no further until it is to stop.
  const auto has_scratch = [&] { return std::filesystem::exists(folders_.container("a") + "/0/termination-log"); };
  auto stop = [&]() -> Task<void> {
    while (!has_scratch()) co_await clock_.sleep_for(std::chrono::milliseconds(5));
    one->request_stop(std::chrono::seconds(0));
  };
  const json status = finish_after(*one, waits, [&] {
    EXPECT_TRUE(one->hold());
    api_.config_maps["late"] = {{"k", "v"}};
    asio::co_spawn(io_, stop(), asio::detached);
  });
  EXPECT_EQ(status["phase"], "Failed");
  EXPECT_FALSE(std::filesystem::exists(folders_.container("a") + "/0/shim.json"));
}

TEST_F(Pods, AreNotHeldOnceTheyHaveBegun) {
  json object = pod("Never", json::array({container("a", "read line < /meet/go")}));
  const std::string meeting = meet(object, "go");
  auto one = runner(object);
  const json status = finish_after(*one, is_running, [&] {
    EXPECT_FALSE(one->hold());
    EXPECT_FALSE(runner(object)->hold()) << "an agent before this one started it";
    std::ofstream(meeting) << "go\n";
  });
  EXPECT_EQ(status["phase"], "Succeeded");
}

TEST_F(Pods, WaitForAConfigMapThatIsNotThereYet) {
  json object = pod("Never", json::array({container("a", "cat /c/k")}));
  object["spec"]["volumes"] = json::parse(R"([{"name": "c", "configMap": {"name": "late"}}])");
  object["spec"]["containers"][0]["volumeMounts"] = json::parse(R"([{"name": "c", "mountPath": "/c"}])");
  auto one = runner(object);
  const auto waits = [this](const json& s) {
    return !api_.events.empty() && s["containerStatuses"][0]["state"]["waiting"]["reason"] == "ContainerCreating";
  };
  const json status = finish_after(*one, waits, [&] { api_.config_maps["late"] = {{"k", "v"}}; });
  EXPECT_EQ(status["phase"], "Succeeded");
  EXPECT_THAT(api_.events, Contains("FailedMount: volume c: \"late\" not found"));
}

TEST_F(Pods, AreTakenOverByTheNextRunner) {
  json object = pod("Never", json::array({container("a", "read line < /meet/go; exit 9")}));
  const std::string meeting = meet(object, "go");
  auto first = runner(object);
  auto until_running = [&]() -> Task<void> { co_await api_.wait_until(is_running); };
  auto part = [&]() -> Task<bool> {
    co_await first_of(until_running(), first->run());
    co_return true;
  };
  det::test::run_task(io_, part());
  first.reset();
  api_.statuses.clear();
  auto second = runner(object);
  std::ofstream(meeting) << "go\n";
  const json status = finish(*second);
  EXPECT_EQ(status["phase"], "Failed");
  EXPECT_EQ(status["containerStatuses"][0]["state"]["terminated"]["exitCode"], 9);
  EXPECT_EQ(status["containerStatuses"][0]["restartCount"], 0);
}

TEST_F(Pods, ThatCannotBeRunFailAtOnceWithTheReason) {
  auto one = runner(pod("Never", json::array({container("a", "exit 0")})));
  auto run = [&]() -> Task<bool> {
    co_await one->run_refused("UnsupportedPod", "spec.hostPID is not supported");
    co_return true;
  };
  det::test::run_task(io_, run());
  EXPECT_EQ(api_.statuses.back()["phase"], "Failed");
  EXPECT_EQ(api_.statuses.back()["message"], "spec.hostPID is not supported");
}

TEST_F(Pods, LeaveNothingButLogsAndExits) {
  auto one = runner(pod("Never", json::array({container("a", "echo x > /tmp/y; echo x > /root/z")})));
  finish(*one);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folders_.container("a") + "/0")) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("exit.json", "log", "shim.json", "started.json", "termination-log"));
}

}  // namespace
}  // namespace det::local
