// One trial's life as its harness sees it, over HTTP, in the order of a real one; with a real server, notifications of
// PostgreSQL, and raw sockets as the client.
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/use_future.hpp>

#include "base/log.h"
#include "pg/listener.h"
#include "store/channels.h"
#include "tests/api/fixture.h"
#include "tests/http/raw_client.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct HarnessFlow : ApiTest {
  HarnessFlow() : server(io.get_executor(), {}, router), background(io.get_executor()) {
    trial = started_trial("task-token");
    allocation = trial.task_id + ".1";
    const Status started = server.start();
    EXPECT_TRUE(started) << started.error().message;
    background.spawn("listener", listener.run());
    guard.emplace(asio::make_work_guard(io));
    io.restart();
    thread = std::thread([this] { io.run(); });
    listening.get_future().wait();
  }
  ~HarnessFlow() override {
    on_io(stop());
    guard.reset();
    thread.join();
  }

  template <typename T>
  T on_io(Task<T> task) {
    return asio::co_spawn(io, std::move(task), asio::use_future).get();
  }
  Task<Status> stop() {
    co_await server.stop();
    background.cancel();
    co_await background.join();
    co_return Status();
  }

  static std::string request(const std::string& method, const std::string& path, const std::string& body = {}) {
    return method + " " + path + " HTTP/1.1\r\nHost: x\r\nGrpc-Metadata-x-allocation-token: Bearer task-token\r\n" +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  // The JSON of the next answer, which must be a 200.
  static json answer(http::RawClient& client) {
    const std::string head = client.read_until("\r\n\r\n");
    EXPECT_THAT(head, HasSubstr("HTTP/1.1 200 OK"));
    const auto at = head.find("Content-Length: ");
    if (at == std::string::npos) return {};
    const auto length = static_cast<std::size_t>(std::stoul(head.substr(at + 16)));
    return json::parse(client.read_exactly(length), nullptr, false);
  }
  json ask(const std::string& method, const std::string& path, const std::string& body = {}) {
    client().send(request(method, path, body));
    return answer(client());
  }
  http::RawClient& client() {
    if (!connection) connection = std::make_unique<http::RawClient>(server.port());
    return *connection;
  }
  [[nodiscard]] std::string metrics(const std::string& group, int steps, double loss) const {
    return json{{"group", group},
                {"metrics",
                 {{"trialId", trial.id.value},
                  {"trialRunId", 1},
                  {"stepsCompleted", steps},
                  {"reportTime", nullptr},
                  {"metrics", {{"avgMetrics", {{"loss", loss}}}, {"batchMetrics", nullptr}}}}}}
        .dump();
  }

  store::TrialRow trial;
  std::string allocation;
  http::Server server;
  TaskGroup background;
  std::promise<void> listening;
  bool is_listening = false;
  pg::Listener listener{
      clock, url, store::all_channels(),
      [this](const std::string& channel, const std::string& payload) { wakeups.on_notify(channel, payload); },
      [this] {
        if (!std::exchange(is_listening, true)) listening.set_value();
        wakeups.wake_all();
      }};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> guard;
  std::thread thread;
  std::unique_ptr<http::RawClient> connection;
};

TEST_F(HarnessFlow, ServesATrialFromStartToEnd) {
  const std::string a = "/api/v1/allocations/" + allocation;
  const std::string t = "/api/v1/trials/" + to_string(trial.id);
  EXPECT_EQ(ask("GET", "/api/v1/me")["user"]["username"], "determined");
  EXPECT_EQ(ask("GET", "/api/v1/tasks/" + trial.task_id + "/context_directory")["b64Tgz"], "");

  // The pod asks for its peers, and reports its GPUs, before the reconciler has written that it exists.
  client().send(request("GET", a + "/resources/r0/rendezvous"));
  http::RawClient reporting(server.port());
  const std::string gpus = R"({"acceleratorData":{"acceleratorType":"cpu","containerId":"pod"}})";
  reporting.send(request("POST", a + "/acceleratorData", gpus));
  const store::ResourceRow pod{.rank = 0,
                               .resources_id = "r0",
                               .pod_name = "pod",
                               .node = "n",
                               .ip = "10.0.0.5",
                               .slots = 1,
                               .daemon = false,
                               .accelerator = nullptr};
  ASSERT_TRUE(on_io(allocations.note_pods(allocation, model::AllocationState::kPending, {pod})));
  EXPECT_EQ(answer(client())["rendezvousInfo"], json::parse(R"({"addresses":["10.0.0.5"],"rank":0,"slots":[1]})"));

  EXPECT_EQ(answer(reporting), json::object());
  EXPECT_EQ(ask("POST", a + "/acceleratorData", gpus), json::object());
  EXPECT_EQ(ask("POST", "/api/v1/task/logs",
                json{{"logs", {{{"task_id", trial.task_id}, {"log", "hello\n"}, {"container_id", "pod"}}}}}.dump()),
            json::object());
  EXPECT_TRUE(ask("POST", "/api/v1/runs/start", R"({"runId":1,"checkpointStorage":{"type":"shared_fs"}})")
                  .contains("storageId"));
  EXPECT_EQ(ask("GET", a + "/signals/preemption?timeout_seconds=0")["preempt"], false);
  EXPECT_EQ(ask("POST", t + "/metrics", metrics("training", 10, 2.0)), json::object());
  EXPECT_EQ(ask("POST", t + "/progress", R"({"progress":0.33,"is_raw":true})"), json::object());
  EXPECT_EQ(ask("POST", t + "/metrics", metrics("validation", 10, 1.0)), json::object());
  EXPECT_EQ(ask("POST", "/api/v1/checkpoints",
                json{{"uuid", uuid_v4()},
                     {"taskId", trial.task_id},
                     {"allocationId", allocation},
                     {"state", "STATE_COMPLETED"},
                     {"metadata", {{"steps_completed", 10}}},
                     {"resources", {{"state", "1"}}}}
                    .dump()),
            json::object());
  const json seen = ask("GET", t)["trial"];
  EXPECT_EQ(seen["state"], "STATE_RUNNING");
  EXPECT_EQ(seen["latestValidation"]["totalBatches"], 10);
  EXPECT_EQ(seen["checkpointCount"], 1);
}

TEST_F(HarnessFlow, WakesThePreemptionPollAtOnce) {
  const std::string a = "/api/v1/allocations/" + allocation;
  client().send(request("GET", a + "/signals/preemption?timeout_seconds=60"));
  ASSERT_TRUE(on_io(allocations.request_preemption(allocation)));
  EXPECT_EQ(answer(client())["preempt"], true);
  EXPECT_EQ(ask("POST", a + "/signals/ack_preemption"), json::object());
  EXPECT_TRUE(on_io(allocations.find(allocation)).value()->preempt_acked_at);
}

TEST_F(HarnessFlow, HoldsARequestForWorkUntilTheSearchHasDecided) {
  const std::string path = "/api/v1/trials/" + to_string(trial.id) + "/searcher/";
  sql("WITH x AS (UPDATE experiments SET config = jsonb_set(config, '{searcher,max_length}', '20') RETURNING 1) SELECT "
      "count(*)::text FROM x");
  const auto epoch = on_io(cluster.load_or_create()).value().epoch;
  const auto order = [&](std::int64_t length, std::int64_t settled) {
    return on_io(trials.order_work(epoch, {{.trial = trial.id, .length = length, .settled = settled}}));
  };
  // Before its first order a trial waits, too.
  client().send(request("GET", path + "operation"));
  ASSERT_TRUE(order(5, 0));
  EXPECT_EQ(answer(client())["op"]["validateAfter"]["length"], "5");
  EXPECT_EQ(ask("POST", path + "completed_operation", R"({"op":{"length":5},"searcherMetric":0.5})"), json::object());
  client().send(request("GET", path + "operation"));
  ASSERT_TRUE(order(20, 5));
  EXPECT_EQ(answer(client())["op"]["validateAfter"]["length"], "20");
}

TEST_F(HarnessFlow, StreamsALogWhileItGrows) {
  http::RawClient follower(server.port());
  follower.send("GET /api/v1/trials/" + to_string(trial.id) + "/logs?follow=true HTTP/1.1\r\nAuthorization: Bearer " +
                token + "\r\n\r\n");
  EXPECT_THAT(follower.read_until("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked"));
  for (const char* word : {"first", "second"}) {
    ask("POST", "/api/v1/task/logs", json{{"logs", {{{"task_id", trial.task_id}, {"log", word}}}}}.dump());
    EXPECT_THAT(follower.read_until("}}\n"), HasSubstr(word));
  }
  const auto epoch = on_io(cluster.load_or_create()).value().epoch;
  ASSERT_TRUE(
      on_io(trials.transition(epoch, trial.id, {model::TrialState::kActive}, model::TrialState::kCompleted, "")));
  follower.read_until("0\r\n\r\n");
}

TEST_F(HarnessFlow, RefusesATokenOfAnotherTask) {
  http::RawClient stranger(server.port());
  stranger.send("GET /api/v1/me HTTP/1.1\r\nGrpc-Metadata-x-allocation-token: Bearer wrong\r\n\r\n");
  EXPECT_THAT(stranger.read_until("}}"), HasSubstr("HTTP/1.1 401 Unauthorized"));
}

}  // namespace
}  // namespace det::api
