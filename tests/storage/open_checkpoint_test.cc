#include "storage/open_checkpoint.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/fake_transport.h"

namespace det::storage {
namespace {

struct OpenCheckpoint : testing::Test {
  ~OpenCheckpoint() override { workers.join(); }
  Result<std::unique_ptr<StoredFiles>> open(const nlohmann::json& config, std::vector<std::string> endpoints = {}) {
    const StorageAccess access{
        .transport = transport, .clock = clock, .workers = workers, .gcs = gcs, .endpoints = std::move(endpoints)};
    return open_checkpoint(access, config, "3f2504e0-4f89-41d3-9a0c-0305e82c3301");
  }

  asio::io_context io;
  SystemClock clock;
  test::FakeTransport transport{io.get_executor(), clock};
  boost::asio::thread_pool workers{1};
  GcsIdentity gcs{transport, clock, workers, {}};
};

// Users write endpoint_url: the server dials for them only where an administrator lets it.
TEST_F(OpenCheckpoint, DialsOnlyAllowedEndpoints) {
  const nlohmann::json config = {{"type", "s3"},
                                 {"bucket", "b"},
                                 {"access_key", "k"},
                                 {"secret_key", "s"},
                                 {"endpoint_url", "http://169.254.169.254"}};
  const auto refused = open(config, {"http://minio:9000"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_NE(refused.error().message.find("checkpoint_downloads.endpoints of master.yaml"), std::string::npos);
  EXPECT_TRUE(open(config, {"http://169.254.169.254/"}));
  EXPECT_TRUE(open(config, {"*"}));
  nlohmann::json own = config;
  own.erase("endpoint_url");
  EXPECT_TRUE(open(own)) << "Amazon's";
  own.erase("secret_key");
  EXPECT_EQ(open(own).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(OpenCheckpoint, TakesNoKeyThatWouldBeAHeaderOfItsOwn) {
  const auto opened = open({{"type", "s3"}, {"bucket", "b"}, {"access_key", "a\r\nHost: here"}, {"secret_key", "s"}});
  ASSERT_FALSE(opened);
  EXPECT_TRUE(opened.error().message.starts_with("checkpoint_storage.access_key")) << opened.error().message;
}

// A bucket of Google is read as whom the server is there, who may read more than the user.
TEST_F(OpenCheckpoint, ReadsOnlyAllowedBucketsOfGoogle) {
  const nlohmann::json config = {{"type", "gcs"}, {"bucket", "ours"}};
  const auto refused = open(config, {"gs://our"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_NE(refused.error().message.find("this server does not read 'gs://ours' for its users"), std::string::npos);
  EXPECT_TRUE(open(config, {"gs://ours"}));
  EXPECT_TRUE(open(config, {endpoint_of(config)}));
  EXPECT_TRUE(open(config, {"*"}));
}

TEST_F(OpenCheckpoint, DialsAzureAndAllowedAccounts) {
  const nlohmann::json own = {
      {"type", "azure"}, {"container", "ckpt"}, {"account_url", "https://ours.blob.core.windows.net"}};
  EXPECT_TRUE(open(own));
  for (const char* text : {"UseDevelopmentStorage=true", "BlobEndpoint=http://169.254.169.254",
                           "AccountName=a;AccountKey=eA==;EndpointSuffix=internal.example.com"}) {
    const nlohmann::json elsewhere = {{"type", "azure"}, {"container", "ckpt"}, {"connection_string", text}};
    const auto refused = open(elsewhere, {"http://minio:9000"});
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
    EXPECT_NE(refused.error().message.find("checkpoint_downloads.endpoints of master.yaml"), std::string::npos);
    EXPECT_TRUE(open(elsewhere, {endpoint_of(elsewhere)})) << text;
  }
}

TEST_F(OpenCheckpoint, OtherKindsAreNamed) {
  EXPECT_EQ(open({{"type", "hdfs"}}).error().code, ErrorCode::kUnimplemented);
  EXPECT_TRUE(open({{"type", "directory"}, {"container_path", "/ckpt"}}));
  EXPECT_FALSE(open({{"type", "directory"}, {"container_path", "ckpt"}}));
}

}  // namespace
}  // namespace det::storage
