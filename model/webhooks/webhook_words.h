#pragma once

// The words of webhooks: what causes a message, its form, and of which experiments. Pure.

#include <cstdint>
#include <optional>
#include <string_view>

namespace det::model {

enum class WebhookCause : std::uint8_t { kStateChange, kTaskLog, kCustom };
enum class WebhookForm : std::uint8_t { kDefault, kSlack };
// kSpecific: of experiments whose integrations.webhooks name it.
enum class WebhookMode : std::uint8_t { kWorkspace, kSpecific };

// "EXPERIMENT_STATE_CHANGE", "DEFAULT", "WORKSPACE": also what the database keeps; the wire puts "TRIGGER_TYPE_",
// "WEBHOOK_TYPE_" and "WEBHOOK_MODE_" before them.
[[nodiscard]] std::string_view to_string(WebhookCause cause);
[[nodiscard]] std::string_view to_string(WebhookForm form);
[[nodiscard]] std::string_view to_string(WebhookMode mode);
[[nodiscard]] std::optional<WebhookCause> parse_webhook_cause(std::string_view word);
[[nodiscard]] std::optional<WebhookForm> parse_webhook_form(std::string_view word);
[[nodiscard]] std::optional<WebhookMode> parse_webhook_mode(std::string_view word);

}  // namespace det::model
