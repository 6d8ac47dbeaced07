#include <gmock/gmock.h>

#include "base/yaml.h"
#include "model/cluster/master_config.h"

namespace det::model {
namespace {

using testing::Contains;
using testing::HasSubstr;

Result<MasterConfigResult> read(const std::string& authz) {
  return read_master_config(parse_yaml("security: {authz: " + authz + "}").value());
}

TEST(AuthzConfig, IsWithoutRolesAsLongAsNobodyAsksForThem) {
  EXPECT_EQ(read_master_config(nullptr)->config.authz, AuthzConfig());
  EXPECT_FALSE(read("{type: basic}")->config.authz.has_roles);
}

TEST(AuthzConfig, ReadsUpstreamsKeys) {
  const auto config = read("{type: rbac, strict_job_queue_control: true, workspace_creator_assign_role: {role_id: 5}}");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->config.authz, (AuthzConfig{.has_roles = true,
                                               .shows_roles = true,
                                               .assigns_to_creator = true,
                                               .creator_role = {5},
                                               .strict_job_queue = true}));
  EXPECT_TRUE(read("{rbac_ui_enabled: true}")->config.authz.shows_roles) << "to prepare roles";
  EXPECT_FALSE(read("{type: rbac, rbac_ui_enabled: false}")->config.authz.shows_roles);
}

TEST(AuthzConfig, SaysWhatWouldWork) {
  EXPECT_THAT(read("{type: oidc}").error().message,
              HasSubstr("security.authz.type: \"oidc\" is neither \"basic\" nor \"rbac\""));
  EXPECT_THAT(read("{workspace_creator_assign_role: {role_id: 77}}").error().message,
              HasSubstr("no role with the id 77"));
  EXPECT_THAT(read("{workspace_creator_assign_role: {role_id: 1}}").error().message,
              HasSubstr("ClusterAdmin cannot be assigned to one workspace"));
}

TEST(AuthzConfig, TellsOfKeysWithoutEffect) {
  EXPECT_THAT(read("{type: rbac, _strict_ntsc_enabled: true, fallback: rbac}")->warnings(),
              Contains(HasSubstr("security.authz._strict_ntsc_enabled")));
}

}  // namespace
}  // namespace det::model
