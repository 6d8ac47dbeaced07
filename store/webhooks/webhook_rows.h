#pragma once

// Rows of webhooks and of what they have to tell. Plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "model/webhooks/webhook_words.h"
#include "store/page.h"

namespace det::store {

struct WebhookTrigger {
  std::int64_t id = 0;  // 0 while it has none
  model::WebhookCause cause = model::WebhookCause::kStateChange;
  nlohmann::json condition = nlohmann::json::object();
};

struct WebhookRow {
  std::int64_t id = 0;  // 0 while it has none
  std::string name;
  std::string url;  // may hold secrets
  model::WebhookForm form = model::WebhookForm::kDefault;
  model::WebhookMode mode = model::WebhookMode::kWorkspace;
  std::optional<model::WorkspaceId> workspace;  // nothing: of all
  std::vector<WebhookTrigger> triggers;         // by id
};

enum class DeliveryState : std::uint8_t { kWaiting, kDelivered, kFailed };
[[nodiscard]] std::string_view to_string(DeliveryState state);

// Of the delivery log: neither message nor URL.
struct DeliveryRow {
  std::int64_t id = 0;
  std::string event_id;
  model::WebhookCause cause = model::WebhookCause::kStateChange;
  std::string state;  // a word of DeliveryState
  WallTime created_at;
  std::optional<WallTime> next_at;  // while it waits
  std::optional<WallTime> finished_at;
  int attempts = 0;
  std::optional<int> status;  // of the latest answer
  std::string error;          // of the latest attempt
};

// Something to send, with where it goes.
struct DueDelivery {
  std::int64_t id = 0;
  std::int64_t webhook = 0;
  std::string url;
  model::WebhookForm form = model::WebhookForm::kDefault;
  std::string event_id;
  model::WebhookCause cause = model::WebhookCause::kStateChange;
  nlohmann::json facts;
  WallTime created_at;
  int attempts = 0;  // this one counts
};

// Whose messages to look at: of all webhooks, or those whose receiver was quick the last time.
enum class Receivers : std::uint8_t { kAll, kQuick };

// How an attempt ended.
struct DeliveryOutcome {
  DeliveryState state = DeliveryState::kDelivered;
  std::optional<WallTime> next_at;  // of kWaiting
  std::optional<int> status;
  std::string error;
  bool is_slow = false;  // the receiver took its time
};

}  // namespace det::store
