#pragma once

// Whole pods for tests of PodRunner.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "base/race.h"
#include "local/agent/pod_runner.h"
#include "tests/local/agent/fake_pod_api.h"
#include "tests/local/scratch.h"
#include "tests/support/run_task.h"

namespace det::local {

// Whole pods in real sandboxes, against an API server of the test's own.
class Pods : public testing::Test {
 protected:
  using json = nlohmann::json;
  ~Pods() override { pool_.join(); }

  static json container(const std::string& name, const std::string& script) {
    return {{"name", name}, {"image", "any"}, {"command", {"/bin/sh", "-c", script}}};
  }

  static json pod(const std::string& restart_policy, json containers) {
    return {{"metadata", {{"namespace", "default"}, {"name", "p"}, {"uid", "uid-1"}, {"labels", {{"app", "x"}}}}},
            {"spec", {{"restartPolicy", restart_policy}, {"nodeName", "n"}, {"containers", std::move(containers)}}}};
  }

  std::unique_ptr<PodRunner> runner(const json& object) {
    auto view = decode_pod(object);
    EXPECT_TRUE(view) << view.error().message;
    return std::make_unique<PodRunner>(services_, *view, folders_);
  }

  // Runs the pod to its end and returns its last status.
  json finish(PodRunner& runner) {
    auto run = [&]() -> Task<bool> {
      co_await runner.run();
      co_return true;
    };
    det::test::run_task(io_, run());
    EXPECT_FALSE(api_.statuses.empty());
    return api_.statuses.empty() ? json() : api_.statuses.back();
  }

  // The same, and calls `act` once a status fulfils `holds`.
  template <typename Predicate, typename Act>
  json finish_after(PodRunner& runner, Predicate holds, Act act) {
    auto acting = [&]() -> Task<void> {
      const bool came = co_await api_.wait_until(holds);
      EXPECT_TRUE(came);
      act();
    };
    auto both = [&]() -> Task<bool> {
      std::vector<Task<void>> tasks;
      tasks.push_back(acting());
      tasks.push_back(runner.run());
      co_await all_of(std::move(tasks));
      co_return true;
    };
    det::test::run_task(io_, both());
    return api_.statuses.back();
  }

  static bool is_running(const json& status) {
    return status["phase"] == "Running" && status["containerStatuses"][0]["ready"] == true;
  }

  // A pipe at /meet/<name> of every container: opening it waits until the other side has.
  std::string meet(json& object, const std::string& name) {
    object["spec"]["volumes"] = {{{"name", "v"}, {"emptyDir", json::object()}}};
    for (json& c : object["spec"]["containers"]) c["volumeMounts"] = {{{"name", "v"}, {"mountPath", "/meet"}}};
    std::filesystem::create_directories(folders_.volume("v"));
    const std::string path = folders_.volume("v") + "/" + name;
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }

  std::string log(const std::string& container, int attempt = 0) {
    return test::read_text(folders_.container(container) + "/" + std::to_string(attempt) + "/log");
  }

  test::Scratch scratch_;
  asio::io_context io_;
  asio::thread_pool pool_{1};
  asio::thread_pool looks_{1};
  SystemClock clock_;
  test::FakePodApi api_{io_.get_executor()};
  std::vector<Mask> masks_;
  NodeFacts node_{.name = "n"};
  Images images_{.folders = {}, .default_folder = {}, .has_default = true};
  Cgroups cgroups_;
  PodFolders folders_{scratch_.path() + "/pods/uid-1", scratch_.path() + "/memory/uid-1"};
  GpuLedger gpus_;
  PodServices services_{io_.get_executor(),
                        pool_,
                        looks_,
                        clock_,
                        api_,
                        masks_,
                        node_,
                        images_,
                        cgroups_,
                        gpus_,
                        {"/proc/self/exe", "node-agent-shim"},
                        "bwrap"};
};

}  // namespace det::local
