#include "local/agent/node_agent.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/log.h"
#include "tests/local/agent/fake_pod_api.h"
#include "tests/local/scratch.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/run_task.h"

namespace det::local {
namespace {

using nlohmann::json;

// Of a pod that no agent and no API server knows.
constexpr const char* kForgotten = "00000000-0000-4000-8000-000000000000";

// What the agent does to pods, in order: "Running Running" for a status with that phase and its first container in that
// state, "DELETE" for a removal.
class Recorder final : public HttpTransport {
 public:
  explicit Recorder(HttpTransport& next) : next_(next) {}

  std::vector<std::string> deeds;

  Task<Result<HttpResponse>> send(HttpRequest request) override {
    if (request.url.find("/pods/") != std::string::npos) note(request);
    return next_.send(std::move(request));
  }
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) override {
    return next_.stream(std::move(request), std::move(sink));
  }

 private:
  void note(const HttpRequest& request) {
    if (request.method == "DELETE") deeds.emplace_back("DELETE");
    if (request.method != "PATCH") return;
    const json status = json::parse(request.body).at("status");
    deeds.push_back(status["phase"].get<std::string>() + " " + status["containerStatuses"][0]["state"].begin().key());
  }

  HttpTransport& next_;
};

// The whole agent with real sandboxes, on an API server in memory.
class Agent : public testing::Test {
 protected:
  ~Agent() override { pool_.join(); }

  NodeAgentOptions options() {
    NodeAgentOptions out;
    out.node = "n";
    out.state_folder = scratch_.path() + "/state";
    out.has_default_image = true;
    out.slots = 64;
    return out;
  }

  std::unique_ptr<NodeAgent> agent() {
    return std::make_unique<NodeAgent>(io_.get_executor(), pool_, clock_, client_, options());
  }

  template <typename Work>
  void run(Work work) {
    auto body = [&]() -> Task<bool> {
      co_await work();
      co_return true;
    };
    det::test::run_task(io_, body());
  }

  // A pod of one container that sees `folder` of the host at /meet.
  void create_pod(const std::string& script, const std::string& folder = "/usr") {
    json container{{"name", "c"}, {"image", "any"}, {"command", {"/bin/sh", "-c", script}}};
    container["volumeMounts"] = {{{"name", "v"}, {"mountPath", "/meet"}}};
    json pod{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"namespace", "default"}, {"name", "p"}}}};
    pod["spec"] = {{"nodeName", "n"}, {"restartPolicy", "Never"}};
    pod["spec"]["volumes"] = {{{"name", "v"}, {"hostPath", {{"path", folder}}}}};
    pod["spec"]["containers"] = json::array();
    pod["spec"]["containers"].push_back(std::move(container));
    server_.create(k8s::pods(), std::move(pod));
  }

  // The same, with a volume in memory.
  void create_pod_with_memory() {
    json container{{"name", "c"}, {"image", "any"}, {"command", {"/bin/sh", "-c", "sleep 1000"}}};
    container["volumeMounts"] = {{{"name", "m"}, {"mountPath", "/m"}}};
    json pod{{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"namespace", "default"}, {"name", "p"}}}};
    pod["spec"] = {{"nodeName", "n"}, {"restartPolicy", "Never"}};
    pod["spec"]["volumes"] = {{{"name", "m"}, {"emptyDir", {{"medium", "Memory"}}}}};
    pod["spec"]["containers"] = json::array();
    pod["spec"]["containers"].push_back(std::move(container));
    server_.create(k8s::pods(), std::move(pod));
  }

  // As choose_memory_folder has it.
  std::string memory_folder() {
    std::filesystem::create_directories(options().state_folder);
    const std::string state = std::filesystem::canonical(options().state_folder).string();
    return "/dev/shm/det-node-agent-" + sha256_hex(state + "\nn").substr(0, 12);
  }

  // How many pods have some.
  std::ptrdiff_t memory_of_pods() {
    std::error_code ignored;
    return std::distance(std::filesystem::directory_iterator(memory_folder(), ignored), {});
  }

  std::string phase() {
    const json pod = server_.find(k8s::pods(), {"default", "p"});
    return pod.is_object() ? pod.value(json::json_pointer("/status/phase"), std::string()) : "gone";
  }

  // An agent that starts the pod and is gone, as after kill -9; the pod goes on.
  void start_and_abandon() {
    const auto gone = agent();
    run([&]() -> Task<void> {
      (void)co_await gone->start();
      co_await until_phase("Running");
      co_await gone->abandon();
    });
  }

  // Lets the agent work until `holds`, or for half a minute.
  Task<void> until(std::function<bool()> holds) {
    const SteadyTime deadline = clock_.steady_now() + std::chrono::seconds(30);
    while (!holds() && clock_.steady_now() < deadline) co_await clock_.sleep_for(std::chrono::milliseconds(5));
  }

  // Returns when the pod has reached `wanted`.
  Task<void> until_phase(std::string wanted) {
    auto reached = [&] { return phase() == wanted; };
    co_await until(reached);
    EXPECT_EQ(phase(), wanted);
  }

  json node_condition() { return server_.find(k8s::nodes(), {"", "n"})["status"]["conditions"][0]; }

  test::Scratch scratch_;
  asio::io_context io_;
  asio::thread_pool pool_{1};
  SystemClock clock_;
  det::test::FakeApiServer server_{io_.get_executor(), clock_};
  Recorder recorder_{server_};
  k8s::Client client_{recorder_, recorder_, server_.config(), clock_, "node-agent"};
};

TEST_F(Agent, RegistersItsNodeAndSaysWhenItGoes) {
  auto one = agent();
  run([&]() -> Task<void> {
    const Status started = co_await one->start();
    EXPECT_TRUE(started);
    EXPECT_EQ(node_condition()["status"], "True");
    const json node = server_.find(k8s::nodes(), {"", "n"});
    EXPECT_EQ(node["metadata"]["labels"]["det-operator.dev/cpu-slots"], "64");
    EXPECT_EQ(node["status"]["allocatable"]["cpu"], "64");
    EXPECT_EQ(node["status"]["daemonEndpoints"]["kubeletEndpoint"]["Port"], one->log_port());
    EXPECT_TRUE(server_.find(k8s::leases(), {"kube-node-lease", "n"}).is_object());
    co_await one->shut_down();
  });
  EXPECT_EQ(node_condition()["status"], "False");
}

TEST_F(Agent, RunsAPodOfItsNode) {
  auto one = agent();
  run([&]() -> Task<void> {
    (void)co_await one->start();
    create_pod("exit 3");
    co_await until_phase("Failed");
    co_await one->shut_down();
  });
  const json pod = server_.find(k8s::pods(), {"default", "p"});
  EXPECT_EQ(pod["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 3);
}

TEST_F(Agent, LeavesPodsToTheNextAgentWhenItIsKilled) {
  const std::string meeting = scratch_.path() + "/meet";
  std::filesystem::create_directories(meeting);
  ASSERT_EQ(::mkfifo((meeting + "/go").c_str(), 0600), 0);
  create_pod("read line < /meet/go; exit 9", meeting);
  start_and_abandon();
  std::ofstream(meeting + "/go") << "go\n";
  auto second = agent();
  run([&]() -> Task<void> {
    (void)co_await second->start();
    co_await until_phase("Failed");
    co_await second->shut_down();
  });
  const json ended = server_.find(k8s::pods(), {"default", "p"});
  EXPECT_EQ(ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 9);
}

TEST_F(Agent, FailsPodsThatRunWhenTheNodeIsShutDown) {
  const std::string meeting = scratch_.path() + "/meet";
  std::filesystem::create_directories(meeting);
  ASSERT_EQ(::mkfifo((meeting + "/ready").c_str(), 0600), 0);
  auto one = agent();
  run([&]() -> Task<void> {
    (void)co_await one->start();
    create_pod("trap 'exit 0' TERM; sleep 1000 & : > /meet/ready; wait", meeting);
    co_await until_phase("Running");
    test::read_text(meeting + "/ready");
    co_await one->shut_down();
  });
  EXPECT_EQ(phase(), "Failed");
  const json status = server_.find(k8s::pods(), {"default", "p"})["status"];
  EXPECT_EQ(status["reason"], "Terminated");
  EXPECT_EQ(test::condition(status, "DisruptionTarget")["reason"], "TerminationByKubelet");
}

// A volume that is not there keeps it from starting.
TEST_F(Agent, LeavesAPodThatHasNotBegunToTheNextStartOfItsCluster) {
  const std::string meeting = scratch_.path() + "/meet";
  const auto waits = [this] {
    const json pod = server_.find(k8s::pods(), {"default", "p"});
    return pod.value(json::json_pointer("/status/containerStatuses/0/state/waiting/message"), "").contains("meet");
  };
  NodeAgentOptions whole_cluster = options();
  whole_cluster.spares_unstarted_pods = true;
  auto first = std::make_unique<NodeAgent>(io_.get_executor(), pool_, clock_, client_, whole_cluster);
  run([&]() -> Task<void> {
    (void)co_await first->start();
    create_pod("exit 0", meeting);
    co_await until(waits);
    EXPECT_TRUE(waits());
    co_await first->shut_down();
  });
  first.reset();
  EXPECT_EQ(phase(), "Pending");
  std::filesystem::create_directories(meeting);
  auto second = agent();
  run([&]() -> Task<void> {
    (void)co_await second->start();
    co_await until_phase("Succeeded");
    co_await second->shut_down();
  });
}

TEST_F(Agent, FailsAPodThatHasNotBegunWhereItsNodeAloneGoesDown) {
  auto one = agent();
  run([&]() -> Task<void> {
    (void)co_await one->start();
    create_pod("exit 0", scratch_.path() + "/missing");
    co_await until_phase("Pending");
    co_await one->shut_down();
  });
  EXPECT_EQ(phase(), "Failed");
}

TEST_F(Agent, TellsHowADeletedPodEndedBeforeItRemovesIt) {
  const std::string meeting = scratch_.path() + "/meet";
  std::filesystem::create_directories(meeting);
  ASSERT_EQ(::mkfifo((meeting + "/ready").c_str(), 0600), 0);
  auto one = agent();
  run([&]() -> Task<void> {
    (void)co_await one->start();
    create_pod("trap 'exit 7' TERM; sleep 1000 & : > /meet/ready; wait", meeting);
    co_await until_phase("Running");
    test::read_text(meeting + "/ready");
    (void)co_await client_.remove(k8s::pods(), {"default", "p"}, {});
    co_await until_phase("gone");
    co_await one->shut_down();
  });
  EXPECT_THAT(recorder_.deeds,
              testing::ElementsAre("Pending waiting", "Running running", "DELETE", "Failed terminated", "DELETE"));
}

TEST_F(Agent, RemovesEverythingOfAPodThatIsGone) {
  auto one = agent();
  run([&]() -> Task<void> {
    (void)co_await one->start();
    create_pod("sleep 1000");
    co_await until_phase("Running");
    server_.erase(k8s::pods(), {"default", "p"});
    const std::string pods = scratch_.path() + "/state/pods";
    auto clean = [&] { return std::filesystem::is_empty(pods); };
    co_await until(clean);
    EXPECT_TRUE(std::filesystem::is_empty(pods));
    co_await one->shut_down();
  });
}

TEST_F(Agent, FreesTheMemoryOfPodsThatNobodyKnows) {
  create_pod_with_memory();
  start_and_abandon();
  const std::string left = memory_folder() + "/" + kForgotten;
  test::write_text(left + "/v/big", "x");
  auto second = agent();
  run([&]() -> Task<void> {
    (void)co_await second->start();
    auto is_freed = [&] { return !std::filesystem::exists(left); };
    co_await until(is_freed);
    EXPECT_TRUE(is_freed());
    EXPECT_EQ(memory_of_pods(), 1);
    server_.erase(k8s::pods(), {"default", "p"});
    auto is_clean = [&] { return memory_of_pods() == 0; };
    co_await until(is_clean);
    EXPECT_TRUE(is_clean());
    co_await second->shut_down();
  });
  EXPECT_FALSE(std::filesystem::exists(memory_folder()));
}

// As one in another container may, whose pods this agent does not know.
TEST_F(Agent, LeavesTheMemoryAloneThatAnotherAgentUses) {
  const std::string others = memory_folder() + "/" + kForgotten;
  test::write_text(others + "/v/big", "x");
  const int use = ::open(memory_folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(use, LOCK_SH), 0);
  const std::string orphan = scratch_.path() + "/state/pods/11111111-0000-4000-8000-000000000000";
  test::write_text(orphan + "/volumes/v/file", "x");
  auto one = agent();
  run([&]() -> Task<void> {
    (void)co_await one->start();
    auto is_done = [&] { return !std::filesystem::exists(orphan); };
    co_await until(is_done);
    EXPECT_TRUE(is_done());
    co_await one->shut_down();
  });
  EXPECT_TRUE(std::filesystem::exists(others));
  ::close(use);
  std::filesystem::remove_all(memory_folder());
}

TEST_F(Agent, DoesNotShareItsStateFolder) {
  auto one = agent();
  auto two = agent();
  run([&]() -> Task<void> {
    (void)co_await one->start();
    const Status refused = co_await two->start();
    EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
    co_await one->shut_down();
  });
}

}  // namespace
}  // namespace det::local
