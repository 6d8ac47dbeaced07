#include "model/webhooks/webhook_words.h"

#include <array>

namespace det::model {
namespace {

template <typename Enum, std::size_t N>
std::optional<Enum> parse(const std::array<Enum, N>& all, std::string_view word) {
  for (const Enum value : all) {
    if (to_string(value) == word) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(WebhookCause cause) {
  switch (cause) {
    case WebhookCause::kStateChange:
      return "EXPERIMENT_STATE_CHANGE";
    case WebhookCause::kTaskLog:
      return "TASK_LOG";
    case WebhookCause::kCustom:
      return "CUSTOM";
  }
  return "";
}

std::string_view to_string(WebhookForm form) {
  switch (form) {
    case WebhookForm::kDefault:
      return "DEFAULT";
    case WebhookForm::kSlack:
      return "SLACK";
  }
  return "";
}

std::string_view to_string(WebhookMode mode) {
  switch (mode) {
    case WebhookMode::kWorkspace:
      return "WORKSPACE";
    case WebhookMode::kSpecific:
      return "SPECIFIC";
  }
  return "";
}

std::optional<WebhookCause> parse_webhook_cause(std::string_view word) {
  return parse(std::array{WebhookCause::kStateChange, WebhookCause::kTaskLog, WebhookCause::kCustom}, word);
}

std::optional<WebhookForm> parse_webhook_form(std::string_view word) {
  return parse(std::array{WebhookForm::kDefault, WebhookForm::kSlack}, word);
}

std::optional<WebhookMode> parse_webhook_mode(std::string_view word) {
  return parse(std::array{WebhookMode::kWorkspace, WebhookMode::kSpecific}, word);
}

}  // namespace det::model
