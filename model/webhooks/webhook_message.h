#pragma once

// What webhooks are sent: Determined's JSON and Slack's blocks. Pure.

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/wall_time.h"
#include "model/cluster/webhook_config.h"
#include "model/webhooks/webhook_words.h"

namespace det::model {

// `facts`, as store/webhooks/event_store.cc writes them: of state changes and custom events {"experiment": {"id",
// "name", "state", "start", "end", "resource_pool", "slots_per_trial", "workspace", "workspace_id", "project",
// "project_id"}, "trial_id", "custom": {"title", "description", "level"}}, times in seconds; of lines of logs
// {"task_id", "task_type", "node", "log", "regex", "experiment_id", "trial_id"}.
struct WebhookEvent {
  std::string id;  // uuid
  WebhookCause cause = WebhookCause::kStateChange;
  const nlohmann::json& facts;
  WallTime at;
};

// The message as JSON text. Field names, sentences and colours are what receivers of Determined's messages know.
[[nodiscard]] std::string webhook_message(WebhookForm form, const WebhookEvent& event, const WebhookConfig& config);
// What POST /webhooks/{id}/test sends.
[[nodiscard]] std::string webhook_test_message(WebhookForm form, const std::string& event_id, WallTime now);

}  // namespace det::model
