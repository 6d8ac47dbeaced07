#include <gmock/gmock.h>

#include "base/yaml.h"
#include "model/cluster/master_config.h"

namespace det::model {
namespace {

using testing::HasSubstr;

Result<MasterConfigResult> read(const std::string& account) {
  return read_master_config(parse_yaml("security: {default_task: " + account + "}").value());
}

TEST(DefaultTask, IsTheImagesUserAsLongAsNobodySaysAnything) {
  EXPECT_EQ(read_master_config(nullptr)->config.default_task, std::nullopt);
  EXPECT_EQ(read("null")->config.default_task, std::nullopt);
}

TEST(DefaultTask, IsRootsInWhatIsLeftOut) {
  EXPECT_EQ(read("{user: svc, uid: 5000, group: svc, gid: 5001}")->config.default_task,
            (AgentAccount{.uid = 5000, .gid = 5001, .user = "svc", .group = "svc"}));
  EXPECT_EQ(read("{gid: 80}")->config.default_task,
            (AgentAccount{.uid = 0, .gid = 80, .user = "root", .group = "root"}));
  EXPECT_THAT(read("{uid: -1}").error().message, HasSubstr("security.default_task.uid"));
  EXPECT_THAT(read("{name: svc}").error().message, HasSubstr("security.default_task"));
}

}  // namespace
}  // namespace det::model
