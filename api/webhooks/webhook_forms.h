#pragma once

// What the routes of webhooks read and write. For .cc files of this folder.

#include "api/call.h"
#include "model/cluster/webhook_config.h"
#include "store/webhooks/webhook_rows.h"
#include "wire/request_fields.h"

namespace det::api {

// webhookv1.Webhook. The URL may hold secrets: who may not edit the webhook sees its host only.
[[nodiscard]] wire::Json webhook_json(const store::WebhookRow& row, bool may_edit);
[[nodiscard]] wire::Json delivery_json(const store::DeliveryRow& row);

// kInvalidArgument, also where the address in it is one that messages do not go to.
[[nodiscard]] Status check_webhook_url(const std::string& url, const model::WebhookConfig& config);
[[nodiscard]] Result<store::WebhookRow> read_webhook(wire::RequestFields& fields, const model::WebhookConfig& config);

// Whether the caller may edit webhooks of this workspace; nothing: of all workspaces.
Task<Result<bool>> may_edit_webhooks(ApiServices& services, Identity caller,
                                     std::optional<model::WorkspaceId> workspace);
// The webhook {id} that the caller may edit. kNotFound, kPermissionDenied.
Task<Result<store::WebhookRow>> own_webhook(ApiServices& services, Call call);

}  // namespace det::api
