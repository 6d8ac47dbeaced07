// Which GPUs a pod reports.
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

// Where there is a name, the pod may still be written: tests/api/harness_flow_test.cc.
TEST_F(ApiTest, AReportOfGpusWithoutAPodIsRefused) {
  const std::string path =
      "/api/v1/allocations/" + model::allocation_id(started_trial().task_id, 1) + "/acceleratorData";
  EXPECT_EQ(post(path, {{"acceleratorData", json::object()}}).status, 404);
}

}  // namespace
}  // namespace det::api
