#include "accept/webhook_names.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::accept {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct WebhookNames : store::StoreTest {
  std::int64_t make(const std::string& name, std::optional<model::WorkspaceId> workspace) {
    return must(webhooks.create({.name = name,
                                 .url = "http://example.com",
                                 .form = model::WebhookForm::kDefault,
                                 .mode = model::WebhookMode::kSpecific,
                                 .workspace = workspace,
                                 .triggers = {}}))
        .id;
  }
  std::vector<std::string> warnings(const json& wanted) {
    return must(unknown_webhooks(webhooks, model::WorkspaceId{1}, {{"integrations", {{"webhooks", wanted}}}}));
  }
};

TEST_F(WebhookNames, AreToldOfWhereThereIsNoSuchWebhook) {
  make("ours", model::WorkspaceId{1});
  const std::int64_t everywhere = make("everywhere", std::nullopt);
  const auto team = must(workspaces.create({.name = "team", .owner = {2}, .agent = {}, .defaults = {}}));
  const std::int64_t theirs = make("theirs", team);
  EXPECT_THAT(warnings({{"webhook_name", {"ours", "everywhere"}}, {"webhook_id", {everywhere}}}), IsEmpty());
  EXPECT_THAT(warnings({{"webhook_name", {"ours", "theirs", "none", "none"}}, {"webhook_id", {theirs}}}),
              ElementsAre("integrations.webhooks.webhook_name: theirs, none has no effect here: neither the workspace "
                          "nor the cluster has such a webhook; once there is one, it is told.",
                          HasSubstr("integrations.webhooks.webhook_id: " + std::to_string(theirs) + " has no effect")));
}

TEST_F(WebhookNames, AreCutToAFew) {
  json many = json::array();
  for (int i = 0; i < 50'000; ++i) many.push_back("hook" + std::to_string(i));
  EXPECT_THAT(warnings({{"webhook_name", many}}),
              ElementsAre(HasSubstr(": hook0, hook1, hook2, hook3, hook4 and 49995 more has no effect")));
}

TEST_F(WebhookNames, AreNotLookedForWhereNothingIsTold) {
  EXPECT_THAT(warnings({{"webhook_name", {"none"}}, {"exclude", true}}), IsEmpty());
  EXPECT_THAT(must(unknown_webhooks(webhooks, model::WorkspaceId{1}, json::object())), IsEmpty());
}

}  // namespace
}  // namespace det::accept
