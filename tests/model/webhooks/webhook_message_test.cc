#include "model/webhooks/webhook_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr WallTime kAt{std::chrono::seconds(1'700'000'000)};

json experiment(const std::string& state) {
  return {{"experiment",
           {{"id", 7},
            {"name", "<!channel> ships"},
            {"state", state},
            {"start", 1'700'000'000 - 3'725},
            {"end", 1'700'000'000},
            {"resource_pool", "default"},
            {"slots_per_trial", 2},
            {"workspace", "sea"},
            {"workspace_id", 3},
            {"project", "boats"},
            {"project_id", 4}}}};
}

json message(WebhookForm form, WebhookCause cause, const json& facts, const WebhookConfig& config = {}) {
  return json::parse(webhook_message(form, {.id = "e-1", .cause = cause, .facts = facts, .at = kAt}, config));
}

TEST(WebhookMessage, OfAStateHasDeterminedsFields) {
  EXPECT_EQ(message(WebhookForm::kDefault, WebhookCause::kStateChange, experiment("COMPLETED")),
            (json{{"event_id", "e-1"},
                  {"event_type", "EXPERIMENT_STATE_CHANGE"},
                  {"timestamp", 1'700'000'000},
                  {"condition", {{"state", "COMPLETED"}}},
                  {"event_data",
                   {{"experiment",
                     {{"id", 7},
                      {"state", "COMPLETED"},
                      {"name", "<!channel> ships"},
                      {"duration", 3'725},
                      {"resource_pool", "default"},
                      {"slots_per_trial", 2},
                      {"workspace", "sea"},
                      {"project", "boats"}}}}}}));
}

TEST(WebhookMessage, ForSlackSaysHowItEndedAndCallsNobody) {
  const json said = message(WebhookForm::kSlack, WebhookCause::kStateChange, experiment("COMPLETED"));
  EXPECT_EQ(said["blocks"][0]["text"]["text"], "Your experiment completed successfully 🎉");
  EXPECT_EQ(said["attachments"][0]["color"], "#13B670");
  const json& about = said["attachments"][0]["blocks"][0];
  EXPECT_EQ(about["text"]["text"], "✅ &lt;!channel&gt; ships (#7)");
  EXPECT_EQ(about["fields"][0], (json{{"type", "mrkdwn"}, {"text", "*Status*: Completed"}}));
  EXPECT_EQ(about["fields"][1]["text"], "*Duration*: 1h 2min");
  EXPECT_EQ(about["fields"][2]["text"], "*Workspace*: sea");
  const json failed = message(WebhookForm::kSlack, WebhookCause::kStateChange, experiment("ERROR"));
  EXPECT_EQ(failed["attachments"][0]["color"], "#DD5040");
}

TEST(WebhookMessage, ForSlackLeadsToPagesWhereTheirAddressIsKnown) {
  const json said = message(WebhookForm::kSlack, WebhookCause::kStateChange, experiment("ERROR"),
                            {.base_url = "https://det.example.com"});
  const json& about = said["attachments"][0]["blocks"][0];
  EXPECT_THAT(about["text"]["text"].get<std::string>(),
              HasSubstr("<https://det.example.com/det/experiments/7/overview | "));
  EXPECT_EQ(about["fields"][2]["text"], "*Workspace*: <https://det.example.com/det/workspaces/3/projects | sea>");
  EXPECT_EQ(about["fields"][3]["text"], "*Project*: <https://det.example.com/det/projects/4 | boats>");
}

TEST(WebhookMessage, OfALineOfALog) {
  const json facts = {{"task_id", "7.x"},  {"task_type", "TRIAL"}, {"node", "n1"}, {"log", "exit code 7"},
                      {"regex", "code 7"}, {"experiment_id", 7},   {"trial_id", 9}};
  const json said = message(WebhookForm::kDefault, WebhookCause::kTaskLog, facts);
  EXPECT_EQ(said["condition"], (json{{"regex", "code 7"}}));
  EXPECT_EQ(said["event_data"]["task_log"],
            (json{{"task_id", "7.x"}, {"node_name", "n1"}, {"triggering_log", "exit code 7"}}));
  const std::string text =
      message(WebhookForm::kSlack, WebhookCause::kTaskLog, facts)["blocks"][0]["text"]["text"].get<std::string>();
  EXPECT_THAT(text, HasSubstr("Experiment ID `7`, Trial ID `9`, running on node `n1`, reported a log"));
  EXPECT_THAT(text, HasSubstr("This log matched the regex\n```code 7```"));
}

TEST(WebhookMessage, OfTrainingCodeItself) {
  json facts = experiment("ACTIVE");
  facts["trial_id"] = 9;
  facts["custom"] = {{"level", "DEBUG"}, {"title", "t"}, {"description", "d"}};
  const json said = message(WebhookForm::kDefault, WebhookCause::kCustom, facts);
  EXPECT_EQ(said["event_data"]["custom_data"], facts["custom"]);
  EXPECT_EQ(said["event_data"]["experiment"]["trial_id"], 9);
  const json slack = message(WebhookForm::kSlack, WebhookCause::kCustom, facts);
  EXPECT_EQ(slack["blocks"][0]["fields"][0]["text"], "*Level*: DEBUG");
}

// It refuses a message with a field of more than 2,000 characters, or a text of more than 3,000.
TEST(WebhookMessage, ForSlackIsCutWhereSlackWouldRefuseIt) {
  json facts = experiment("ACTIVE");
  std::string wide;
  for (int i = 0; i < 1'000; ++i) wide += "\u00e9";
  facts["custom"] = {{"level", "DEBUG"}, {"title", wide}, {"description", std::string(10'000, '<')}};
  const json fields = message(WebhookForm::kSlack, WebhookCause::kCustom, facts)["blocks"][0]["fields"];
  const auto title = fields[1]["text"].get<std::string>();
  EXPECT_THAT(title, testing::EndsWith("\u00e9\u2026"));
  const auto description = fields[2]["text"].get<std::string>();
  EXPECT_LT(description.size(), 2'000U);
  EXPECT_THAT(description, testing::EndsWith("&lt;\u2026"));
  const json line = {{"trial_id", 9},
                     {"experiment_id", 7},
                     {"node", "n1"},
                     {"log", std::string(1'000, '&')},
                     {"regex", std::string(1'000, '>')}};
  const json log = message(WebhookForm::kSlack, WebhookCause::kTaskLog, line)["blocks"][0]["text"]["text"];
  EXPECT_LT(log.get<std::string>().size(), 3'000U);
  EXPECT_THAT(log.get<std::string>(), HasSubstr("This log matched the regex"));
}

}  // namespace
}  // namespace det::model
