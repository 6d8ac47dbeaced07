#include "model/cluster/printable_config.h"

#include <gtest/gtest.h>

namespace det::model {
namespace {

using nlohmann::json;

json printed(const json& yaml) {
  const auto result = read_master_config(yaml);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return result ? printable_config(result->config) : json();
}

TEST(PrintableConfig, OfNoFileIsTheDefaultsInForce) {
  const json config = printed(nullptr);
  EXPECT_EQ(config["resource_manager"]["type"], "kubernetes");
  EXPECT_EQ(config["resource_manager"]["default_compute_resource_pool"], "default");
  EXPECT_EQ(config["checkpoint_storage"]["type"], "shared_fs");
  EXPECT_EQ(config["scheduler"]["type"], "own");
  EXPECT_EQ(config["retention_policy"]["log_retention_days"], -1);
  EXPECT_EQ(config["tensorboard_timeout"], 300);
  EXPECT_TRUE(config["notebook_timeout"].is_null());
  EXPECT_EQ(config["security"]["authz"]["type"], "basic");
  EXPECT_TRUE(config["feature_switches"].is_array());
}

TEST(PrintableConfig, KeepsWhatWasGivenAlsoWithoutEffect) {
  const json config = printed({{"cluster_name", "lab"}, {"telemetry", {{"enabled", false}}}, {"notebook_timeout", 60}});
  EXPECT_EQ(config["cluster_name"], "lab");
  EXPECT_EQ(config["telemetry"]["enabled"], false);
  EXPECT_EQ(config["notebook_timeout"], 60);
}

TEST(PrintableConfig, HidesSecretsWhereverTheyAre) {
  const json yaml = {
      {"db", {{"user", "postgres"}, {"password", "hunter2"}}},
      {"security", {{"initial_user_password", "hunter2"}}},
      {"telemetry", {{"segment_master_key", "hunter2"}}},
      {"checkpoint_storage", {{"type", "s3"}, {"bucket", "b"}, {"access_key", "hunter2"}, {"secret_key", "hunter2"}}},
      {"task_container_defaults",
       {{"registry_auth", {{"username", "u"}, {"password", "hunter2"}}},
        {"environment_variables", {"WANDB_API_KEY=hunter2", "NCCL_DEBUG=INFO"}},
        {"gpu_pod_spec",
         {{"spec",
           {{"containers",
             {{{"name", "determined-container"},
               {"env", {{{"name", "HF_TOKEN"}, {"value", "hunter2"}}, {{"name", "LEVEL"}, {"value", "3"}}}}}}}}}}}}},
      {"resource_pools",
       {{{"pool_name", "a"},
         {"task_container_defaults", {{"environment_variables", {{"cpu", {"DB_PASSWORD=hunter2"}}}}}}}}}};
  const json config = printed(yaml);
  EXPECT_EQ(config.dump().find("hunter2"), std::string::npos) << config.dump(2);
  EXPECT_EQ(config["db"]["user"], "postgres");
  EXPECT_EQ(config["db"]["password"], "********");
  EXPECT_EQ(config["checkpoint_storage"]["bucket"], "b");
  const json& defaults = config["task_container_defaults"];
  EXPECT_EQ(defaults["environment_variables"], json({"WANDB_API_KEY=********", "NCCL_DEBUG=INFO"}));
  EXPECT_EQ(defaults["gpu_pod_spec"]["spec"]["containers"][0]["env"][1]["value"], "3");
  EXPECT_EQ(config["resource_pools"][0]["task_container_defaults"]["environment_variables"]["cpu"][0],
            "DB_PASSWORD=********");
}

TEST(PrintableConfig, HidesTheSignatureInAnAddress) {
  const auto config = read_master_config(
      {{"checkpoint_storage",
        {{"type", "azure"}, {"container", "c"}, {"account_url", "https://ours.blob.core.windows.net?sig=s"}}}});
  EXPECT_EQ(printable_config(config.value().config)["checkpoint_storage"]["account_url"],
            "https://ours.blob.core.windows.net?********");
}

TEST(PrintableConfig, NamesOfSecretsArePrinted) {
  const json config = printed({{"pod_policy", {{"image_pull_secrets", {"regcred"}}}}});
  EXPECT_EQ(config["pod_policy"]["image_pull_secrets"], json({"regcred"}));
}

TEST(PrintableConfig, HasPoolsThatObjectsBring) {
  ResourcePool pool;
  pool.name = "spot";
  pool.max_slots_per_pod = 4;
  const json config = printable_config(with_pools(read_master_config(nullptr)->config, {pool}));
  ASSERT_EQ(config["resource_pools"].size(), 1U);
  EXPECT_EQ(config["resource_pools"][0]["pool_name"], "spot");
  EXPECT_EQ(config["resource_pools"][0]["max_slots_per_pod"], 4);
}

}  // namespace
}  // namespace det::model
