#include "operator/task/task_services.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace det::op {
namespace {

using model::TaskType;

PodFacts pod(const std::string& address) {
  PodFacts facts;
  facts.ip = address;
  return facts;
}

TaskRound round_of(TaskType type) {
  TaskRound round;
  round.type = type;
  round.row.id = "task-1";
  round.row.access.token = "secret";
  round.allocation.emplace();
  round.allocation->id = "task-1.1";
  return round;
}

TEST(TaskServices, NothingIsReachedBeforeThereIsAnAddress) {
  TaskRound round = round_of(TaskType::kNotebook);
  EXPECT_TRUE(services_of(round).empty());
  round.facts.gang.pods = {pod("10.0.0.7")};
  round.allocation.reset();
  EXPECT_TRUE(services_of(round).empty());
}

TEST(TaskServices, ANotebookIsItsOwnersByATokenAndATensorBoardIsEverybodys) {
  TaskRound round = round_of(TaskType::kNotebook);
  round.facts.gang.pods = {pod("10.0.0.7")};
  const auto of_notebook = services_of(round);
  ASSERT_EQ(of_notebook.size(), 1U);
  EXPECT_EQ(of_notebook[0].id, "task-1");
  EXPECT_EQ(of_notebook[0].address, "10.0.0.7");
  EXPECT_EQ(of_notebook[0].token_hash, sha256_hex("secret"));
  EXPECT_FALSE(of_notebook[0].is_shared);
  EXPECT_FALSE(of_notebook[0].is_unauthenticated);
  round.type = TaskType::kTensorBoard;
  EXPECT_TRUE(services_of(round)[0].is_shared);
}

TEST(TaskServices, AShellIsReachedAsTcpWithoutALogin) {
  TaskRound round = round_of(TaskType::kShell);
  round.facts.gang.pods = {pod("10.0.0.7")};
  ASSERT_EQ(services_of(round).size(), 1U);
  EXPECT_TRUE(services_of(round)[0].is_tcp);
  EXPECT_TRUE(services_of(round)[0].is_unauthenticated);
}

TEST(TaskServices, ACommandHasThePortsOfItsConfigurationOnly) {
  TaskRound round = round_of(TaskType::kCommand);
  round.facts.gang.pods = {pod("10.0.0.7")};
  EXPECT_TRUE(services_of(round).empty());
  round.config.environment.proxy_ports = {{.port = 8000}};
  ASSERT_EQ(services_of(round).size(), 1U);
  EXPECT_EQ(services_of(round)[0].port, 8000);
}

}  // namespace
}  // namespace det::op
