// What a client is told of a change whose commit nobody heard of: that it is not known. To make the change again would
// tell that what was deleted is not there, or that who was added is there already.

#include <functional>
#include <utility>
#include <vector>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

struct InDoubt : StoreTest {
  std::string reported_checkpoint() {
    const TrialRow trial = started_trial();
    const std::string uuid = uuid_v4();
    must(checkpoints.report({.uuid = uuid,
                             .task_id = trial.task_id,
                             .allocation_id = trial.task_id + ".1",
                             .report_time = WallTime(std::chrono::seconds(1)),
                             .steps = 1,
                             .resources = {{"a", 100}}}));
    return uuid;
  }

  // Every commit is made, and then the connection is lost.
  pg::Pool lossy{{.url = url, .connections = 1, .loses = [](pg::Moment moment, const std::string&, pg::Access) {
                    return moment == pg::Moment::kAfterCommit;
                  }}};
};

TEST_F(InDoubt, ADeletionIsMadeOnce) {
  must(templates.create({.name = "t", .config = nlohmann::json::object(), .workspace = {1}, .owner = {}}));
  const auto webhook = must(webhooks.create({.id = 0,
                                             .name = "",
                                             .url = "https://hooks.example.com/",
                                             .form = {},
                                             .mode = {},
                                             .workspace = {},
                                             .triggers = {}}));
  const auto group = must(user_groups.create("g", {})).group.id;
  const auto model = must(models.create({.name = "m", .owner = {2}, .workspace = {1}})).id;
  must(model_versions.add({.model = model, .checkpoint = reported_checkpoint(), .owner = {2}}));
  TemplateStore lossy_templates(lossy);
  WebhookStore lossy_webhooks(lossy);
  UserGroupStore lossy_groups(lossy);
  ModelVersionStore lossy_versions(lossy);
  RegisteredModelStore lossy_models(lossy);
  const std::vector<std::pair<std::function<Task<Status>()>, const char*>> deletions = {
      {[&] { return lossy_templates.remove("t"); }, "templates"},
      {[&] { return lossy_webhooks.remove(webhook.id); }, "webhooks"},
      {[&] { return lossy_groups.remove(group); }, "user_groups"},
      {[&] { return lossy_versions.remove(model, 1); }, "model_versions"},
      {[&] { return lossy_models.remove(model); }, "models"}};
  for (const auto& [remove, table] : deletions) {
    const Status done = run(remove());
    ASSERT_FALSE(done) << table;
    EXPECT_EQ(done.error().code, ErrorCode::kUnavailable) << table << ": " << done.error().message;
    EXPECT_EQ(sql(std::string("SELECT count(*) FROM ") + table), "0");
  }
}

TEST_F(InDoubt, AMemberOfAGroupIsAddedOnce) {
  const auto group = must(user_groups.create("g", {})).group.id;
  const auto changed = run(UserGroupStore(lossy).change(group, {.name = {}, .add = {{2}}, .remove = {}}));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::kUnavailable) << changed.error().message;
  EXPECT_TRUE(must(user_groups.is_member(group, {2})));
}

}  // namespace
}  // namespace det::store
