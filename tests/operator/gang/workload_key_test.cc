#include "operator/gang/workload_key.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pods/names.h"

namespace det::op {
namespace {

TEST(WorkloadKeyTest, TrialsAndTasksOfOneNameAreTwoWorkloads) {
  const WorkloadKey trial = workload_of("ns", {{pods::kLabelTrial, "a"}});
  const WorkloadKey task = workload_of("ns", {{pods::kLabelTask, "a"}});
  EXPECT_EQ(trial, workload_of_trial({.ns = "ns", .name = "a"}));
  EXPECT_NE(trial, task);
  EXPECT_EQ(to_string(trial), "trial/ns/a");
  EXPECT_EQ(to_string(task), "task/ns/a");
  EXPECT_EQ(resource_of(trial.kind).kind, "Trial");
  EXPECT_EQ(resource_of(task.kind).kind, "Task");
  for (const WorkloadKey& one : {trial, task}) {
    EXPECT_EQ(workload_of("ns", {{label_of(one.kind), one.key.name}}), one);
  }
}

TEST(WorkloadKeyTest, ATrialsPodStaysOneWhateverLabelIsAddedToIt) {
  const WorkloadKey owner = workload_of("ns", {{pods::kLabelTrial, "a"}, {pods::kLabelTask, "b"}});
  EXPECT_EQ(to_string(owner), "trial/ns/a");
}

TEST(WorkloadKeyTest, PodsWithoutOurLabelsBelongToNobody) {
  EXPECT_TRUE(workload_of("ns", {{"app", "nginx"}}).key.name.empty());
  EXPECT_TRUE(workload_of("ns", nullptr).key.name.empty());
}

}  // namespace
}  // namespace det::op
