// Notebooks, commands and TensorBoards that ask for more than a pod, or the server, can take.

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;

using LongRequests = ApiTest;

TEST_F(LongRequests, TheWordsOfACommandFitIntoOneVariable) {
  const json many = {{"entrypoint", {"ls", std::string(std::size_t{128} << 10U, 'x')}}};
  const Answer refused = post("/api/v1/commands", {{"config", many}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.text, HasSubstr("entrypoint: its words have"));
}

TEST_F(LongRequests, TheConfigurationOfANotebookFitsIntoOneVariable) {
  const std::string variable = "A=" + std::string(60'000, 'a');
  const json listed = {{"environment", {{"environment_variables", {variable}}}}};
  const Answer refused = post("/api/v1/notebooks", {{"config", listed}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.text, HasSubstr("environment: with it the configuration has"));
  const json for_gpus = {{"environment", {{"environment_variables", {{"cuda", {variable}}}}}}};
  EXPECT_EQ(post("/api/v1/notebooks", {{"config", for_gpus}}).status, 200);
}

TEST_F(LongRequests, ATensorBoardShowsAThousandAtMost) {
  const std::vector<int> many(1'001, 1);
  for (const char* name : {"experimentIds", "trialIds"}) {
    EXPECT_EQ(post("/api/v1/tensorboards", {{name, many}}).error(),
              std::string(name) + ": expected a list of at most 1000 numbers, got 1001 of them");
  }
}

}  // namespace
}  // namespace det::api
