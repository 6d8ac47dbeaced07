#pragma once

// Configurations as the tests of acceptance write them, and what becomes of them.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "base/yaml.h"
#include "model/expconf/accept_config.h"

namespace det::model::test {

using nlohmann::json;

inline const json kStorage = {{"type", "shared_fs"}, {"host_path", "/tmp"}, {"storage_path", "cp"}};

inline json yaml(std::string_view text) {
  return parse_yaml(text).value();
}

inline json defaults(json task = json::object()) {
  return {{"checkpoint_storage", kStorage}, {"task_container_defaults", std::move(task)}};
}

inline const AcceptContext kContext = {.name_seed = 1, .default_seed = 1700000000, .max_per_pod = 8};

inline AcceptedConfig accepted(const json& user, const json& cluster = defaults()) {
  auto result = accept_config(user, cluster, kContext);
  EXPECT_TRUE(result) << (result ? "" : join_errors(result.error()));
  return result ? *std::move(result) : AcceptedConfig();
}

inline std::string refused(const json& user, const json& cluster = defaults()) {
  const auto result = accept_config(user, cluster, kContext);
  EXPECT_FALSE(result) << user.dump();
  return result ? "" : join_errors(result.error());
}

inline json minimal() {
  return yaml("searcher: {name: single, metric: loss}\nentrypoint: python3 train.py\n");
}

}  // namespace det::model::test
