#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/cluster/master_config.h"

namespace det::model {
namespace {

using nlohmann::json;

Result<MasterConfigResult> with(const json& endpoints) {
  return read_master_config({{"checkpoint_downloads", {{"endpoints", endpoints}}}});
}

TEST(CheckpointDownloads, TakeEveryKindOfAddressThatIsAskedFor) {
  const json endpoints = {"https://minio.example.com:9000", "http://10.0.0.1:9000", "gs://research", "*"};
  const auto config = with(endpoints);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(json(config->config.checkpoint_downloads.endpoints), endpoints);
}

TEST(CheckpointDownloads, RefuseWhatIsNone) {
  for (const char* none : {"minio:9000", "s3://bucket", "gs://", "https://", ""}) {
    const auto config = with({none});
    ASSERT_FALSE(config) << none;
    EXPECT_NE(config.error().message.find("is no URL such as"), std::string::npos) << config.error().message;
  }
}

}  // namespace
}  // namespace det::model
