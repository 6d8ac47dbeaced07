// PATCH of an experiment: what people change while it runs.

#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct PatchedExperiments : ApiTest {};

TEST_F(PatchedExperiments, TakeEditsOfNameLabelsAndNotes) {
  create();
  const Answer changed =
      call("PATCH", "/api/v1/experiments/1", R"({"id":1,"name":"new","description":null,"labels":["a"],"notes":"n"})");
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(changed.body()["experiment"]["name"], "new");
  EXPECT_EQ(changed.body()["experiment"]["labels"], json::array({"a"}));
  // Upstream's page reads them there, and sends back what it read with one more.
  EXPECT_EQ(changed.body()["experiment"]["config"]["labels"], json::array({"a"}));
  EXPECT_EQ(get("/api/v1/experiments/1").body()["experiment"]["config"]["name"], "new");
  EXPECT_EQ(call("PATCH", "/api/v1/experiments/1", R"({"name":"  "})").error(),
            "`name` must not be an empty or whitespace string");
}

TEST_F(PatchedExperiments, TakeEditsOfTheirLimitsIntoTheObject) {
  create();
  const Answer changed = call("PATCH", "/api/v1/experiments/1", R"({"resources":{"maxSlots":4,"priority":7}})");
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(object(1)["spec"]["config"]["resources"]["max_slots"], 4);
  EXPECT_EQ(object(1)["spec"]["config"]["resources"]["priority"], 7);
  const Answer shown = get("/api/v1/experiments/1");
  EXPECT_EQ(shown.body()["config"]["resources"]["max_slots"], 4);
  EXPECT_EQ(call("PATCH", "/api/v1/experiments/1", R"({"resources":{"priority":100}})").error(),
            "priority must be between 1 and 99, but is 100");
  EXPECT_EQ(call("PATCH", "/api/v1/experiments/1", R"({"resources":{"maxSlots":-1}})").status, 400);
  EXPECT_EQ(object(1)["spec"]["config"]["resources"]["max_slots"], 4);
  EXPECT_EQ(call("PATCH", "/experiments/1", R"({"resources":{"max_slots":3}})").status, 200) << "the older form";
  EXPECT_EQ(object(1)["spec"]["config"]["resources"]["max_slots"], 3);
}

TEST_F(PatchedExperiments, SayWhichFieldIsOfAnotherType) {
  create();
  const auto refused = [this](const char* body) {
    const Answer answer = call("PATCH", "/api/v1/experiments/1", body);
    EXPECT_EQ(answer.status, 400) << body;
    return answer.error();
  };
  EXPECT_EQ(refused(R"({"name":"new","resources":4})"), "resources: expected an object, got 4");
  EXPECT_EQ(refused(R"({"name":"new","checkpointStorage":[]})"), "checkpointStorage: expected an object, got []");
  EXPECT_EQ(refused(R"({"name":"new","resources":{"weight":"heavy"}})"),
            "resources.weight: expected a number, got \"heavy\"");
  EXPECT_NE(get("/api/v1/experiments/1").body()["experiment"]["name"], "new") << "nothing of it is done";
}

}  // namespace
}  // namespace det::api
