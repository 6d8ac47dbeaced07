#include "api/webhooks/webhook_forms.h"

#include <algorithm>
#include <charconv>

#include "api/access_check.h"
#include "api/arguments.h"
#include "base/pattern.h"

namespace det::api {

namespace {

constexpr std::size_t kLongestUrl = 2'000;
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kLongestRegex = 1'000;
constexpr std::size_t kMostTriggers = 5;
constexpr std::string_view kTriggerWord = "TRIGGER_TYPE_";
constexpr std::string_view kFormWord = "WEBHOOK_TYPE_";
constexpr std::string_view kModeWord = "WEBHOOK_MODE_";
constexpr std::string_view kSchemes[] = {"https://", "http://"};
constexpr std::string_view kStates[] = {"ACTIVE",         "CANCELED",        "COMPLETED",         "ERROR",
                                        "PAUSED",         "STOPPING_KILLED", "STOPPING_CANCELED", "STOPPING_COMPLETED",
                                        "STOPPING_ERROR", "DELETING"};

std::unexpected<Error> wrong(const std::string& message, std::string field) {
  return fail(ErrorCode::kInvalidArgument, message, std::move(field));
}

std::string with(std::string_view prefix, std::string_view word) {
  return std::string(prefix) + std::string(word);
}

std::string_view without(std::string_view prefix, std::string_view word) {
  if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  return word;
}

std::string_view scheme_of(std::string_view url) {
  for (const std::string_view scheme : kSchemes) {
    if (url.starts_with(scheme)) return scheme;
  }
  return {};
}

// The host of a URL, without user, port and brackets.
std::string host_of(std::string_view url) {
  url.remove_prefix(scheme_of(url).size());
  url = url.substr(0, url.find_first_of("/?#"));
  if (const auto at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  if (url.starts_with('[')) return std::string(url.substr(1, url.find(']') - 1));
  return std::string(url.substr(0, url.find(':')));
}

std::string shown_url(const std::string& url, bool may_edit) {
  return may_edit ? url : std::string(scheme_of(url)) + host_of(url) + "/********";
}

Status check_condition(const store::WebhookTrigger& trigger, const wire::Json& condition, const std::string& path) {
  switch (trigger.cause) {
    case model::WebhookCause::kCustom:
      return {};
    case model::WebhookCause::kStateChange: {
      const bool is_state = condition.is_object() && condition.size() == 1 && condition.contains("state") &&
                            condition["state"].is_string() &&
                            std::ranges::find(kStates, condition["state"].get<std::string>()) != std::end(kStates);
      if (is_state) return {};
      return wrong(path + ": expected {\"state\": one of COMPLETED, ERROR, CANCELED, PAUSED, ACTIVE}, got " +
                       wire::dump(condition),
                   path);
    }
    case model::WebhookCause::kTaskLog:
      break;
  }
  if (!condition.is_object() || condition.size() != 1) {
    return wrong("webhook task log condition must have one key got " + wire::dump(condition), path);
  }
  if (!condition.contains("regex")) {
    return wrong("webhook task log condition must have key 'regex' got " + wire::dump(condition), path);
  }
  if (!condition["regex"].is_string()) {
    return wrong("webhook task log condition must have key 'regex' as string got " + wire::dump(condition), path);
  }
  const std::string regex = condition["regex"].get<std::string>();
  if (regex.empty() || regex.size() > kLongestRegex) {
    return wrong(
        path + ".regex: has 1 to " + std::to_string(kLongestRegex) + " bytes, this one " + std::to_string(regex.size()),
        path);
  }
  if (regex.find('\0') != std::string::npos) return wrong(path + ".regex: must hold no NUL character", path);
  const auto compiled = Pattern::compile(regex);
  return compiled ? Status() : wrong(path + ".regex: " + compiled.error().message, path);
}

Result<store::WebhookTrigger> read_trigger(const wire::Json& json, const std::string& path) {
  if (!json.is_object()) return wrong(path + ": expected an object, got " + std::string(json.type_name()), path);
  wire::RequestFields fields(json, path + ".");
  fields.require("triggerType");
  const std::string word = fields.string("triggerType").value_or("");
  DET_TRY(fields.status());
  store::WebhookTrigger trigger;
  if (word == "TRIGGER_TYPE_METRIC_THRESHOLD_EXCEEDED") {
    return fail(ErrorCode::kUnimplemented,
                path +
                    ".triggerType: metric thresholds are not watched; triggers are experiments' states, lines of "
                    "logs and custom events",
                path);
  }
  const auto cause = model::parse_webhook_cause(without(kTriggerWord, word));
  if (!cause) {
    return wrong(path + ".triggerType: '" + word +
                     "' is none of TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE, TRIGGER_TYPE_TASK_LOG, TRIGGER_TYPE_CUSTOM",
                 path);
  }
  trigger.cause = *cause;
  const wire::Json* condition = fields.any("condition");
  if (condition != nullptr) trigger.condition = *condition;
  DET_TRY(check_condition(trigger, trigger.condition, path + ".condition"));
  if (trigger.cause == model::WebhookCause::kCustom) trigger.condition = wire::Json::object();
  return trigger;
}

Status read_triggers(wire::RequestFields& fields, store::WebhookRow& row) {
  const wire::Json* triggers = fields.any("triggers");
  if (triggers == nullptr || !triggers->is_array() || triggers->empty()) {
    return wrong("at least one trigger required", "triggers");
  }
  if (triggers->size() > kMostTriggers) {
    return wrong("triggers: at most " + std::to_string(kMostTriggers) + ", not " + std::to_string(triggers->size()),
                 "triggers");
  }
  for (std::size_t i = 0; i < triggers->size(); ++i) {
    auto trigger = read_trigger((*triggers)[i], "triggers[" + std::to_string(i) + "]");
    DET_TRY(trigger);
    if (trigger->cause == model::WebhookCause::kCustom && row.mode != model::WebhookMode::kSpecific) {
      return wrong("custom trigger only works on webhook with mode 'SPECIFIC'. Got " +
                       with(kModeWord, model::to_string(row.mode)),
                   "mode");
    }
    row.triggers.push_back(std::move(*trigger));
  }
  return {};
}

bool may_see_webhook(const Identity& caller, std::optional<model::WorkspaceId> workspace) {
  constexpr model::Permission kNeeded = model::Permission::kViewWebhooks;
  return (workspace ? require(caller, kNeeded, *workspace) : require(caller, kNeeded)).has_value();
}

}  // namespace

wire::Json webhook_json(const store::WebhookRow& row, bool may_edit) {
  wire::Json triggers = wire::Json::array();
  for (const store::WebhookTrigger& trigger : row.triggers) {
    triggers.push_back({{"id", trigger.id},
                        {"triggerType", with(kTriggerWord, model::to_string(trigger.cause))},
                        {"condition", trigger.condition},
                        {"webhookId", row.id}});
  }
  return {{"id", row.id},
          {"url", shown_url(row.url, may_edit)},
          {"triggers", std::move(triggers)},
          {"webhookType", with(kFormWord, model::to_string(row.form))},
          {"name", row.name},
          {"workspaceId", row.workspace ? row.workspace->value : 0},
          {"mode", with(kModeWord, model::to_string(row.mode))}};
}

wire::Json delivery_json(const store::DeliveryRow& row) {
  wire::Json json = {{"id", row.id},
                     {"eventId", row.event_id},
                     {"triggerType", with(kTriggerWord, model::to_string(row.cause))},
                     {"state", row.state},
                     {"attempts", row.attempts},
                     {"error", row.error},
                     {"createdAt", wire::time(row.created_at)}};
  if (row.next_at) json["nextAttemptAt"] = wire::time(*row.next_at);
  if (row.finished_at) json["finishedAt"] = wire::time(*row.finished_at);
  if (row.status) json["status"] = *row.status;
  return json;
}

Status check_webhook_url(const std::string& url, const model::WebhookConfig& config) {
  const auto is_unprintable = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  const std::string host = scheme_of(url).empty() ? std::string() : host_of(url);
  if (host.empty() || url.size() > kLongestUrl || std::ranges::any_of(url, is_unprintable)) {
    return wrong("valid url required: http:// or https:// with a host, of at most " + std::to_string(kLongestUrl) +
                     " characters and no spaces",
                 "url");
  }
  // Names are looked at when it is sent; this only tells early. An address is one where digits and dots are all.
  const bool is_address =
      host.find(':') != std::string::npos || host.find_first_not_of("0123456789.") == std::string::npos;
  const bool is_local = host == "localhost" || host.ends_with(".localhost");
  if ((is_address || is_local) && !config.may_connect(is_local ? "127.0.0.1" : host)) {
    return wrong("url: '" + host +
                     "' is not on the open internet; administrators allow networks with webhooks.allowed_networks of "
                     "master.yaml",
                 "url");
  }
  return {};
}

Result<store::WebhookRow> read_webhook(wire::RequestFields& fields, const model::WebhookConfig& config) {
  fields.require("url");
  fields.require("webhookType");
  store::WebhookRow row;
  row.url = fields.string("url").value_or("");
  row.name = fields.string("name").value_or("");
  const std::string form = fields.string("webhookType").value_or("");
  const std::string mode = fields.string("mode").value_or("WEBHOOK_MODE_WORKSPACE");
  const auto workspace = fields.integer("workspaceId");
  DET_TRY(fields.status());
  if (workspace && *workspace != 0) row.workspace = model::WorkspaceId{*workspace};
  if (row.name.size() > kLongestName) {
    return wrong(
        "name: at most " + std::to_string(kLongestName) + " bytes, this one has " + std::to_string(row.name.size()),
        "name");
  }
  DET_TRY(check_webhook_url(row.url, config));
  const auto parsed_form = model::parse_webhook_form(without(kFormWord, form));
  if (!parsed_form) {
    return wrong("webhookType: '" + form + "' is neither WEBHOOK_TYPE_DEFAULT nor WEBHOOK_TYPE_SLACK", "webhookType");
  }
  row.form = *parsed_form;
  const auto parsed_mode = model::parse_webhook_mode(without(kModeWord, mode));
  if (!parsed_mode) {
    return wrong("mode: '" + mode + "' is neither WEBHOOK_MODE_WORKSPACE nor WEBHOOK_MODE_SPECIFIC", "mode");
  }
  row.mode = *parsed_mode;
  DET_TRY(read_triggers(fields, row));
  return row;
}

Task<Result<bool>> may_edit_webhooks(ApiServices& services, Identity caller,
                                     std::optional<model::WorkspaceId> workspace) {
  if (has_roles(caller)) {
    constexpr model::Permission kNeeded = model::Permission::kEditWebhooks;
    co_return (workspace ? require(caller, kNeeded, *workspace) : require(caller, kNeeded)).has_value();
  }
  if (caller.user.admin) co_return true;
  if (!workspace) co_return false;
  const auto owner = co_await services.stores.workspaces.owner(*workspace);
  DET_CO_TRY(owner);
  co_return *owner && **owner == caller.user.id;
}

Task<Result<store::WebhookRow>> own_webhook(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto row = co_await services.stores.webhooks.find(*id);
  DET_CO_TRY(row);
  const bool is_seen = *row && may_see_webhook(call.caller, (*row)->workspace);
  if (!is_seen) co_return fail(ErrorCode::kNotFound, "webhook '" + std::to_string(*id) + "' not found");
  const auto may = co_await may_edit_webhooks(services, call.caller, (*row)->workspace);
  DET_CO_TRY(may);
  if (!*may) co_return fail(ErrorCode::kPermissionDenied, "non admin users can't edit global webhooks, nor others'");
  co_return std::move(**row);
}

}  // namespace det::api
