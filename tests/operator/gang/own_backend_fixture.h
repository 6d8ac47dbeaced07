#pragma once

// OwnBackend on a fake API server and a fake clock.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/gang/own_backend.h"
#include "pods/names.h"
#include "scheduler/read_objects.h"
#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"

namespace det::op {

using nlohmann::json;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

inline json node(const std::string& name, int gpus = 8) {
  const json offered = {{"cpu", "64"}, {"pods", "110"}, {"nvidia.com/gpu", std::to_string(gpus)}};
  return {{"metadata", {{"name", name}}},
          {"status", {{"allocatable", offered}, {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
}

inline WorkloadKey owner_of(const std::string& trial) {
  return workload_of_trial({.ns = "default", .name = trial});
}

inline json pod(const std::string& trial, int rank) {
  const json labels = {{pods::kLabelManagedBy, "det-operator"}, {pods::kLabelTrial, trial}, {pods::kLabelRun, "1"}};
  json container = {{"name", "c"}, {"resources", {{"limits", {{"nvidia.com/gpu", "8"}}}}}};
  return {{"metadata",
           {{"name", trial + "-1-" + std::to_string(rank)},
            {"namespace", "default"},
            {"labels", labels},
            {"ownerReferences", {{{"uid", trial}, {"controller", true}}}}}},
          {"spec", {{"containers", {std::move(container)}}}}};
}

inline GangRequest gang(const std::string& trial, int size, int first_missing = 0) {
  GangRequest gang{.owner = owner_of(trial), .owner_uid = trial, .name = trial + "-1", .size = size};
  for (int rank = first_missing; rank < size; ++rank) gang.pods.push_back(pod(trial, rank));
  return gang;
}

class OwnBackendTest : public testing::Test {
 protected:
  using Answer = std::optional<Result<std::optional<GangWait>>>;

  // One leadership; a second call is the next one.
  void lead(std::string ns = "default") {
    background.emplace(io);
    OwnBackendOptions options{.config = config, .ns = std::move(ns), .managed_by = "det-operator"};
    backend.emplace(io.get_executor(), client, clock, options,
                    [this](const WorkloadKey& owner) { woken.push_back(to_string(owner)); });
    background->start(backend->run());
    clock.advance(seconds(1));
  }
  void kill() {
    background.reset();
    backend.reset();
  }
  // What create() answers, after the loop had time to decide.
  Answer create(GangRequest wanted) {
    Answer answer;
    background->start(keep(backend->create(std::move(wanted)), answer));
    clock.advance(seconds(1));
    return answer;
  }
  static Task<void> keep(Task<Result<std::optional<GangWait>>> task, Answer& into) {
    into.emplace(co_await std::move(task));
  }
  std::string waits(const Answer& answer) {
    if (!answer || !*answer) return "no answer";
    return **answer ? (***answer).reason : "";
  }
  // So often the operator is told that it may not read nodes.
  void refuse_nodes(int times = 1) {
    calls.answer_next(
        "/api/v1/nodes?limit=1",
        {.status = 403, .headers = {}, .body = R"({"kind": "Status", "code": 403, "reason": "Forbidden"})"}, times);
  }
  std::string host(const std::string& name) {
    return scheduler::node_of(server.find(k8s::pods(), {.ns = "default", .name = name}));
  }
  std::size_t pods() { return server.all(k8s::pods()).size(); }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer server{io.get_executor(), clock};
  test::FaultyTransport calls{server, io.get_executor(), clock};
  k8s::Client client{calls, server, server.config(), clock, "det-test"};
  model::SchedulerConfig config;
  std::vector<std::string> woken;
  std::optional<OwnBackend> backend;
  std::optional<test::Background> background;
};

}  // namespace det::op
