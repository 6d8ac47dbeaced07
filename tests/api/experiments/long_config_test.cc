// Answers with long configurations, which are written on the pool.

#include <gmock/gmock.h>

#include "api/experiments/experiment_json.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;
using testing::Not;

struct LongConfigs : ApiTest {};

TEST_F(LongConfigs, AreShownWithoutTheirSecrets) {
  const std::string config = std::string(kConst) +
                             "environment:\n  registry_auth: {username: u, password: of-the-registry}\n"
                             "data:\n  text: " +
                             std::string(2 * kWrittenAtOnce, 'x') + "\n";
  const Answer made = post("/api/v1/experiments", {{"config", config}});
  ASSERT_EQ(made.status, 200) << made.text;
  const std::string path = "/api/v1/experiments/" + made.body()["experiment"]["id"].dump();
  const Answer read = get(path);
  const Answer changed = call("PATCH", path, R"({"notes": "n"})");
  for (const Answer& answer : {made, read, changed}) {
    ASSERT_EQ(answer.status, 200) << answer.text;
    EXPECT_THAT(answer.text, Not(HasSubstr("of-the-registry")));
    const json shown = answer.body()["experiment"];
    EXPECT_EQ(shown["config"]["environment"]["registry_auth"]["password"], "********");
    EXPECT_EQ(shown["config"]["data"]["text"].get<std::string>().size(), 2 * kWrittenAtOnce);
    EXPECT_THAT(shown["originalConfig"].get<std::string>(), HasSubstr("\"password\": \"********\""));
  }
  EXPECT_EQ(changed.body()["experiment"]["notes"], "n");
}

}  // namespace
}  // namespace det::api
