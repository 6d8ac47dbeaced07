#pragma once

// What the reconcilers do about one thing, played in a world of tests/simulation without faults: the real operator on a
// private PostgreSQL, with a cluster, programs and people. What must hold in every world holds here too.

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "pods/names.h"
#include "tests/simulation/database.h"
#include "tests/simulation/world.h"

namespace det::op::test {

class InAWorld : public ::testing::Test {
 protected:
  // The world stays as it was at the end, for the test to look at.
  simulation::RunResult play(simulation::Scenario scenario) {
    database().reset();
    scenario_ = std::move(scenario);
    scenario_.name = "a test's own";
    world_.emplace(database(), scenario_, simulation::WorldOptions{});
    simulation::RunResult result = world_->run();
    EXPECT_EQ(result.violations, std::vector<std::string>()) << told_by_objects();
    return result;
  }

  // What the statuses say, for whoever wonders why a test fails.
  [[nodiscard]] std::string told_by_objects() {
    std::string text;
    for (const k8s::Resource& resource : {k8s::experiments(), k8s::tasks()}) {
      for (const nlohmann::json& each : world_->server().all(resource)) {
        text += get_string(get_object(each, "metadata"), "name") + ": " + get_any(each, "status").dump() + "\n";
      }
    }
    return text;
  }

  // Of trials that take eight seconds, and save after two steps each.
  static nlohmann::json config() {
    return {{"name", "simulated"},
            {"entrypoint", "python3 train.py"},
            {"hyperparameters", {{"lr", 0.1}}},
            {"searcher", {{"name", "single"}, {"metric", "loss"}}},
            {"resources", {{"slots_per_trial", 1}}},
            {"checkpoint_storage",
             {{"type", "directory"}, {"container_path", "/tmp/checkpoints"}, {"save_trial_latest", 1'000}}},
            {"max_restarts", 0}};
  }

  static k8s::ObjectKey key(const std::string& name) { return {.ns = "ml", .name = name}; }
  [[nodiscard]] nlohmann::json object(const k8s::Resource& resource, const std::string& name) {
    return world_->server().find(resource, key(name));
  }
  // Null: there is none of that type.
  [[nodiscard]] nlohmann::json condition(const k8s::Resource& resource, const std::string& name,
                                         const std::string& type) {
    const nlohmann::json found = object(resource, name);
    for (const nlohmann::json& each : get_array(get_object(found, "status"), "conditions")) {
      if (get_string(each, "type") == type) return each;
    }
    return {};
  }
  [[nodiscard]] std::string state(const k8s::Resource& resource, const std::string& name) {
    const nlohmann::json found = object(resource, name);
    return get_string(get_object(found, "status"), "state");
  }
  // The texts of all events with that reason, in no order.
  [[nodiscard]] std::vector<std::string> events(const std::string& reason) {
    std::vector<std::string> texts;
    for (const nlohmann::json& event : world_->server().all(k8s::core_events())) {
      if (get_string(event, "reason") == reason) texts.push_back(get_string(event, "message"));
    }
    return texts;
  }
  // Makes an object of the given spec.
  void create(const k8s::Resource& resource, const std::string& name, nlohmann::json spec) {
    world_->server().create(resource, {{"metadata", {{"name", name}, {"namespace", "ml"}}}, {"spec", std::move(spec)}});
  }
  // An object of which `manager` wrote the configuration, with a nonce of which no row knows.
  static nlohmann::json written_by(const std::string& manager, const std::string& name, nlohmann::json spec) {
    const nlohmann::json field = {{"manager", manager},
                                  {"operation", "Update"},
                                  {"fieldsType", "FieldsV1"},
                                  {"fieldsV1", {{"f:spec", {{"f:config", nlohmann::json::object()}}}}}};
    return {{"metadata",
             {{"name", name},
              {"namespace", "ml"},
              {"annotations", {{pods::kAnnotationNonce, uuid_v4()}}},
              {"managedFields", nlohmann::json::array({field})}}},
            {"spec", std::move(spec)}};
  }
  [[nodiscard]] std::string value(const std::string& sql) { return database().value(sql); }

  static simulation::Database& database() {
    static simulation::Database the_database;
    return the_database;
  }

  simulation::Scenario scenario_;
  std::optional<simulation::World> world_;
};

}  // namespace det::op::test
