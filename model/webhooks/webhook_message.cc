#include "model/webhooks/webhook_message.h"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "base/json_get.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::int64_t kSecondsOfHour = 3600;
constexpr std::int64_t kSecondsOfMinute = 60;

std::int64_t seconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::string dump(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Slack refuses a message with a field of more than 2,000 characters, or a text of more than 3,000. In bytes, and with
// room for what is said around.
constexpr std::size_t kMostOfField = 1'900;
constexpr std::size_t kMostOfText = 1'200;  // of each of two in one text

// Slack reads <...> as links and mentions: what people wrote must not call a whole channel. Cut where it would be
// longer than `most` bytes.
std::string escaped(std::string_view text, std::size_t most = kMostOfText) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;  // of the character
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    const char c = text[at];
    const std::string_view own = text.substr(at, end - at);
    const std::string_view piece = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : own;
    if (out.size() + piece.size() > most) return out + "\u2026";
    out += piece;
    at = end;
  }
  return out;
}

json block_text(const char* type, std::string text) {
  return {{"type", type}, {"text", std::move(text)}};
}

json section(json text) {
  return {{"type", "section"}, {"text", std::move(text)}};
}

json marked(std::string text) {
  return block_text("mrkdwn", std::move(text));
}

// "<base/path | text>", or only the text where there is no page to lead to.
std::string link(const WebhookConfig& config, const std::string& path, const std::string& text) {
  return config.base_url.empty() ? text : "<" + config.base_url + path + " | " + text + ">";
}

// What of an experiment's state is said in which words and colours.
struct Mood {
  std::string sentence;
  std::string word;
  const char* sign;
  const char* color;
};

Mood mood_of(const std::string& state) {
  if (state == "COMPLETED") return {"Your experiment completed successfully 🎉", "Completed", "✅ ", "#13B670"};
  if (state == "ERROR") return {"Your experiment has stopped with errors", "Errored", "❌ ", "#DD5040"};
  return {"The status of your experiment is " + state, state, "", "#009bde"};
}

std::string duration_of(const json& experiment, WallTime now) {
  const json& end = get_any(experiment, "end");
  const std::int64_t until = end.is_number() ? end.get<std::int64_t>() : seconds_of(now);
  const std::int64_t seconds = std::max<std::int64_t>(0, until - get_integer(experiment, "start"));
  return std::to_string(seconds / kSecondsOfHour) + "h " + std::to_string(seconds % kSecondsOfHour / kSecondsOfMinute) +
         "min";
}

json fields_of(const WebhookEvent& event, const json& experiment, const Mood& mood, const WebhookConfig& config) {
  json fields =
      json::array({marked("*Status*: " + mood.word), marked("*Duration*: " + duration_of(experiment, event.at))});
  const std::pair<const char*, const char*> kPlaces[] = {{"Workspace", "workspace"}, {"Project", "project"}};
  for (const auto& [title, key] : kPlaces) {
    const std::string name = escaped(get_string(experiment, key));
    if (name.empty()) continue;
    const std::string id = std::to_string(get_integer(experiment, std::string(key) + "_id"));
    const std::string path = key == kPlaces[0].second ? "/det/workspaces/" + id + "/projects" : "/det/projects/" + id;
    fields.push_back(marked("*" + std::string(title) + "*: " + link(config, path, name)));
  }
  if (const auto trial = get_integer(event.facts, "trial_id"); trial > 0) {
    fields.push_back(marked("*Trial ID*: " + std::to_string(trial)));
  }
  return fields;
}

json slack_of_experiment(const WebhookEvent& event, const WebhookConfig& config) {
  const json& experiment = get_any(event.facts, "experiment");
  const Mood mood = mood_of(get_string(experiment, "state"));
  const std::string id = std::to_string(get_integer(experiment, "id"));
  const std::string title = escaped(get_string(experiment, "name")) + " (#" + id + ")";
  json about = section(marked(mood.sign + link(config, "/det/experiments/" + id + "/overview", title)));
  about["fields"] = fields_of(event, experiment, mood, config);
  json head = section(block_text("plain_text", mood.sentence));
  if (const json& custom = get_any(event.facts, "custom"); custom.is_object()) {
    head["fields"] =
        json::array({marked("*Level*: " + escaped(get_string(custom, "level"))),
                     marked("*Title*: " + escaped(get_string(custom, "title"), kMostOfField)),
                     marked("*Description*: " + escaped(get_string(custom, "description"), kMostOfField))});
  }
  const json attachment = {{"color", mood.color}, {"blocks", json::array({std::move(about)})}};
  return {{"blocks", json::array({std::move(head)})}, {"attachments", json::array({attachment})}};
}

json slack_of_log(const json& facts, const WebhookConfig& config) {
  const std::string node = escaped(get_string(facts, "node"));
  const std::int64_t trial = get_integer(facts, "trial_id");
  const std::string experiment = std::to_string(get_integer(facts, "experiment_id"));
  std::string text = trial > 0 ? "Experiment ID `" + experiment + "`, Trial ID `" + std::to_string(trial) + "`"
                               : "Task ID `" + escaped(get_string(facts, "task_id")) + "`, task type `" +
                                     get_string(facts, "task_type") + "`";
  text += ", running on node `" + node + "`, reported a log\n```" + escaped(get_string(facts, "log")) +
          "```\nThis log matched the regex\n```" + escaped(get_string(facts, "regex")) + "```\n";
  if (trial > 0) {
    const std::string path = "/det/experiments/" + experiment + "/trials/" + std::to_string(trial) + "/logs";
    text += config.base_url.empty() ? "View full logs at " + path : link(config, path, "View full logs here");
  }
  return {{"blocks", json::array({section(marked(std::move(text)))})}};
}

json event_data(const WebhookEvent& event) {
  const json& facts = event.facts;
  if (event.cause == WebhookCause::kTaskLog) {
    return {{"task_log",
             {{"task_id", get_string(facts, "task_id")},
              {"node_name", get_string(facts, "node")},
              {"triggering_log", get_string(facts, "log")}}}};
  }
  const json& from = get_any(facts, "experiment");
  const json& end = get_any(from, "end");
  json experiment = {
      {"id", get_integer(from, "id")},
      {"state", get_string(from, "state")},
      {"name", get_string(from, "name")},
      {"duration",
       end.is_number() ? std::max<std::int64_t>(0, end.get<std::int64_t>() - get_integer(from, "start")) : 0},
      {"resource_pool", get_string(from, "resource_pool")},
      {"slots_per_trial", get_integer(from, "slots_per_trial")},
      {"workspace", get_string(from, "workspace")},
      {"project", get_string(from, "project")}};
  if (const auto trial = get_integer(facts, "trial_id"); trial > 0) experiment["trial_id"] = trial;
  json data = {{"experiment", std::move(experiment)}};
  if (const json& custom = get_any(facts, "custom"); custom.is_object()) data["custom_data"] = custom;
  return data;
}

json condition_of(const WebhookEvent& event) {
  if (event.cause == WebhookCause::kTaskLog) return {{"regex", get_string(event.facts, "regex")}};
  return {{"state", get_string(get_any(event.facts, "experiment"), "state")}};
}

json envelope(const std::string& id, WebhookCause cause, WallTime at, json condition, json data) {
  return {{"event_id", id},
          {"event_type", std::string(to_string(cause))},
          {"timestamp", seconds_of(at)},
          {"condition", std::move(condition)},
          {"event_data", std::move(data)}};
}

}  // namespace

std::string webhook_message(WebhookForm form, const WebhookEvent& event, const WebhookConfig& config) {
  switch (form) {
    case WebhookForm::kDefault:
      return dump(envelope(event.id, event.cause, event.at, condition_of(event), event_data(event)));
    case WebhookForm::kSlack:
      return dump(event.cause == WebhookCause::kTaskLog ? slack_of_log(event.facts, config)
                                                        : slack_of_experiment(event, config));
  }
  return {};
}

std::string webhook_test_message(WebhookForm form, const std::string& event_id, WallTime now) {
  if (form == WebhookForm::kSlack) return dump({{"blocks", json::array({section(block_text("plain_text", "test"))})}});
  return dump(envelope(event_id, WebhookCause::kStateChange, now, {{"state", "COMPLETED"}}, {{"data", "test"}}));
}

}  // namespace det::model
