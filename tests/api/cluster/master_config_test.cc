#include "tests/api/fixture.h"

namespace det::api {
namespace {

using MasterConfigRoute = ApiTest;

TEST_F(MasterConfigRoute, IsForAdminsAndShowsNoSecret) {
  services.settings.master =
      model::read_master_config({{"cluster_name", "lab"}, {"security", {{"initial_user_password", "hunter2"}}}})
          .value()
          .config;
  EXPECT_EQ(get("/api/v1/master/config").status, 403);
  token = must(authenticator.login({.username = "admin", .password = "", .is_hashed = true, .peer = ""})).token;
  const Answer answer = get("/api/v1/master/config");
  ASSERT_EQ(answer.status, 200) << answer.text;
  EXPECT_EQ(answer.body()["config"]["cluster_name"], "lab");
  EXPECT_EQ(answer.body()["config"]["resource_manager"]["type"], "kubernetes");
  EXPECT_EQ(answer.text.find("hunter2"), std::string::npos);
  EXPECT_EQ(get("/config").body(), answer.body()["config"]) << "the older form";
}

}  // namespace
}  // namespace det::api
