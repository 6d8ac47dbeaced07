#include "store/webhooks/webhook_store.h"

#include "store/channels.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kSelect =
    "SELECT w.id, w.name, w.url, w.form, w.mode, w.workspace_id, coalesce((SELECT jsonb_agg(jsonb_build_object('id', "
    "t.id, 'cause', t.cause, 'condition', t.condition) ORDER BY t.id) FROM webhook_triggers t WHERE t.webhook_id = "
    "w.id), '[]') FROM webhooks w ";
const char* const kReadable =
    "WHERE (w.workspace_id IS NULL OR $1::bigint IS NULL OR w.workspace_id IN (SELECT id FROM workspaces WHERE "
    "owner_id "
    "= $1)) AND ($2::bigint[] IS NULL OR w.workspace_id = ANY($2::bigint[])) ORDER BY w.id";
const char* const kOfWorkspace = "WHERE w.workspace_id IS NULL OR w.workspace_id = $1 ORDER BY w.id";
// Who makes two at once waits for the first: both would find room. Those of all workspaces wait at the first one.
const char* const kLock = "SELECT 1 FROM workspaces WHERE id = coalesce($1::bigint, 1) FOR UPDATE";
const char* const kCount = "SELECT count(*) FROM webhooks WHERE workspace_id IS NOT DISTINCT FROM $1::bigint";
const char* const kInsert =
    "INSERT INTO webhooks (name, url, form, mode, workspace_id) VALUES ($1, $2, $3, $4, $5) RETURNING id";
const char* const kInsertTrigger =
    "INSERT INTO webhook_triggers (webhook_id, cause, condition) VALUES ($1, $2, $3) RETURNING id";
const char* const kSetUrl = "UPDATE webhooks SET url = $2 WHERE id = $1";
const char* const kRemove = "DELETE FROM webhooks WHERE id = $1";
const char* const kChanged = "hooks";

WebhookRow read_webhook(const pqxx::row& row) {
  WebhookRow webhook{.id = row[0].as<std::int64_t>(),
                     .name = as_text(row[1]),
                     .url = as_text(row[2]),
                     .form = as_state(row[3], model::parse_webhook_form),
                     .mode = as_state(row[4], model::parse_webhook_mode),
                     .workspace = as_optional_id<model::WorkspaceId>(row[5]),
                     .triggers = {}};
  for (const nlohmann::json& trigger : as_json(row[6])) {
    webhook.triggers.push_back({.id = trigger.at("id").get<std::int64_t>(),
                                .cause = model::parse_webhook_cause(trigger.at("cause").get<std::string>()).value(),
                                .condition = trigger.at("condition")});
  }
  return webhook;
}

std::vector<WebhookRow> read_webhooks(const pqxx::result& rows) {
  std::vector<WebhookRow> webhooks;
  for (const auto& row : rows) webhooks.push_back(read_webhook(row));
  return webhooks;
}

}  // namespace

Task<Result<std::optional<WebhookRow>>> WebhookStore::find(std::int64_t id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<WebhookRow>> {
    const pqxx::result found = run_sql(tx, std::string(kSelect) + "WHERE w.id = $1", id);
    if (found.empty()) return std::nullopt;
    return read_webhook(found[0]);
  };
  co_return co_await pool_.read("find webhook", std::move(body));
}

Task<Result<std::vector<WebhookRow>>> WebhookStore::list(WebhookReader reader) {
  auto body = [reader](pg::Transaction& tx) -> Result<std::vector<WebhookRow>> {
    const auto owner = reader.owner ? std::optional(reader.owner->value) : std::nullopt;
    return read_webhooks(run_sql(tx, std::string(kSelect) + kReadable, owner, id_array_or_null(reader.visible)));
  };
  co_return co_await pool_.read("list webhooks", std::move(body));
}

Task<Result<std::vector<WebhookRow>>> WebhookStore::of_workspace(model::WorkspaceId workspace) {
  auto body = [workspace](pg::Transaction& tx) -> Result<std::vector<WebhookRow>> {
    return read_webhooks(run_sql(tx, std::string(kSelect) + kOfWorkspace, workspace.value));
  };
  co_return co_await pool_.read("webhooks of a workspace", std::move(body));
}

Task<Result<WebhookRow>> WebhookStore::create(WebhookRow webhook) {
  auto body = [w = std::move(webhook)](pg::Transaction& tx) -> Result<WebhookRow> {
    const auto workspace = w.workspace ? std::optional(w.workspace->value) : std::nullopt;
    if (run_sql(tx, kLock, workspace).empty()) return not_found("workspace", std::to_string(workspace.value_or(1)));
    if (run_sql1(tx, kCount, workspace)[0].as<int>() >= kMost) {
      return fail(ErrorCode::kFailedPrecondition,
                  "there are " + std::to_string(kMost) + " webhooks " +
                      (workspace ? "of workspace " + std::to_string(*workspace) : std::string("of all workspaces")) +
                      ", and more there cannot be: delete one first");
    }
    WebhookRow made = w;
    made.id = run_sql1(tx, kInsert, w.name, w.url, word(w.form), word(w.mode), workspace)[0].as<std::int64_t>();
    for (WebhookTrigger& trigger : made.triggers) {
      trigger.id = run_sql1(tx, kInsertTrigger, made.id, word(trigger.cause), json_text(trigger.condition))[0]
                       .as<std::int64_t>();
    }
    notify(tx, kWebhookChannel, kChanged);
    return made;
  };
  co_return co_await pool_.write_once("create webhook", std::move(body));
}

Task<Status> WebhookStore::set_url(std::int64_t id, std::string url) {
  auto body = [id, url](pg::Transaction& tx) -> Status {
    return changed_one(run_sql(tx, kSetUrl, id, url), "webhook", std::to_string(id));
  };
  co_return co_await pool_.write("change webhook", std::move(body));
}

Task<Status> WebhookStore::remove(std::int64_t id) {
  auto body = [id](pg::Transaction& tx) -> Status {
    notify(tx, kWebhookChannel, kChanged);
    return changed_one(run_sql(tx, kRemove, id), "webhook", std::to_string(id));
  };
  co_return co_await pool_.write_once("delete webhook", std::move(body));
}

}  // namespace det::store
