#pragma once

// What acceptance says to pods.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "model/cluster/master_config.h"
#include "tests/model/expconf/accepting.h"

namespace det::model::test {

inline MasterConfig master(std::string_view text) {
  auto read = read_master_config(yaml(text));
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return read ? read->config : MasterConfig();
}

// What acceptance in namespace research says to a configuration with these parts; empty: it is taken.
inline std::string answer(std::string_view parts, std::string_view master_yaml = "{}") {
  const MasterConfig config = master(master_yaml);
  json user = minimal();
  user.update(yaml(parts));
  AcceptContext context = kContext;
  context.master = &config;
  context.ns = "research";
  const auto result = accept_config(user, cluster_defaults(config), context);
  return result ? "" : join_errors(result.error());
}

inline std::string in_pod(std::string_view spec, std::string_view master_yaml = "{}") {
  return answer("environment: {pod_spec: {spec: " + std::string(spec) + "}}", master_yaml);
}

inline std::string in_metadata(std::string_view metadata, std::string_view master_yaml = "{}") {
  return answer("environment: {pod_spec: {metadata: " + std::string(metadata) + "}}", master_yaml);
}

inline std::string in_container(std::string_view fields, std::string_view master_yaml = "{}") {
  return in_pod("{containers: [{name: determined-container, " + std::string(fields) + "}]}", master_yaml);
}

}  // namespace det::model::test
