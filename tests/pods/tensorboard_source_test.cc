#include "pods/tensorboard_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/expconf/accept_config.h"

namespace det::pods {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json with_storage(json storage) {
  const json config = {{"name", "x"},
                       {"entrypoint", "python3 train.py"},
                       {"searcher", {{"name", "single"}, {"metric", "loss"}}},
                       {"checkpoint_storage", std::move(storage)}};
  model::AcceptContext context;
  context.name_seed = 1;
  context.default_seed = 2;
  const auto accepted = model::accept_config(config, json::object(), context);
  EXPECT_TRUE(accepted) << (accepted ? "" : join_errors(accepted.error()));
  return accepted ? accepted->document : json();
}

TensorBoardSource source_of(std::vector<ShownExperiment> experiments) {
  auto source = tensorboard_source("cluster", experiments);
  EXPECT_TRUE(source) << (source ? "" : source.error().message);
  return source.value_or(TensorBoardSource());
}

TEST(TensorBoardSource, ExperimentsAndTrialsOfASharedFileSystem) {
  const json shared = with_storage({{"type", "shared_fs"}, {"host_path", "/nfs"}, {"storage_path", "team"}});
  const auto source =
      source_of({{.id = {1}, .trials = {}, .config = shared}, {.id = {2}, .trials = {7, 8}, .config = shared}});
  EXPECT_THAT(source.log_dirs, ElementsAre("/determined_shared_fs/team/cluster/tensorboard/experiment/1/",
                                           "/determined_shared_fs/team/cluster/tensorboard/experiment/2/trial/7/",
                                           "/determined_shared_fs/team/cluster/tensorboard/experiment/2/trial/8/"));
  ASSERT_TRUE(source.mount);
  EXPECT_EQ(source.mount->host_path, "/nfs");
}

TEST(TensorBoardSource, AnS3CompatibleStoreIsReadWithTheExperimentsCredentials) {
  const json s3 = with_storage({{"type", "s3"},
                                {"bucket", "b"},
                                {"prefix", "/p/"},
                                {"access_key", "id"},
                                {"secret_key", "secret"},
                                {"endpoint_url", "http://minio:9000/"}});
  const auto source = source_of({{.id = {3}, .trials = {}, .config = s3}});
  EXPECT_THAT(source.log_dirs, ElementsAre("s3://b/p/cluster/tensorboard/experiment/3/"));
  EXPECT_THAT(source.secret_variables, testing::Contains(testing::Pair("AWS_SECRET_ACCESS_KEY", "secret")));
  EXPECT_THAT(source.secret_variables, testing::Contains(testing::Pair("S3_ENDPOINT", "minio:9000")));
  EXPECT_THAT(source.secret_variables, testing::Contains(testing::Pair("S3_USE_HTTPS", "0")));
  EXPECT_FALSE(source.mount);
}

TEST(TensorBoardSource, WhatIsInDifferentPlacesNeedsATensorBoardEach) {
  const json here = with_storage({{"type", "shared_fs"}, {"host_path", "/a"}});
  const json there = with_storage({{"type", "shared_fs"}, {"host_path", "/b"}});
  const json elsewhere = with_storage({{"type", "directory"}, {"container_path", "/a"}});
  const auto folders =
      tensorboard_source("c", {{.id = {1}, .trials = {}, .config = here}, {.id = {2}, .trials = {}, .config = there}});
  ASSERT_FALSE(folders);
  EXPECT_THAT(folders.error().message, HasSubstr("experiment 1 and experiment 2 keep their files in different places "
                                                 "(checkpoint_storage.host_path '/a' and '/b')"));
  const auto kinds = tensorboard_source(
      "c", {{.id = {1}, .trials = {}, .config = here}, {.id = {2}, .trials = {}, .config = elsewhere}});
  ASSERT_FALSE(kinds);
  EXPECT_THAT(kinds.error().message, HasSubstr("checkpoint_storage.type"));
}

}  // namespace
}  // namespace det::pods
