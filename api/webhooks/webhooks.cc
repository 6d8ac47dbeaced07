// Webhooks and what became of their messages, to read.

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/webhooks/routes.h"
#include "api/webhooks/webhook_forms.h"

namespace det::api::routes {

Task<Result<http::Response>> list_webhooks(ApiServices& services, Call call) {
  const store::UserRow& caller = call.caller.user;
  const bool is_ruled = has_roles(call.caller);
  const store::WebhookReader reader{.owner = is_ruled || caller.admin ? std::nullopt : std::optional(caller.id),
                                    .visible = visible(call.caller, model::Permission::kViewWebhooks)};
  const auto rows = co_await services.stores.webhooks.list(reader);
  DET_CO_TRY(rows);
  wire::Json webhooks = wire::Json::array();
  for (const store::WebhookRow& row : *rows) {
    // Those of a workspace are only listed to its owner. Who may only look does not see where they go: a URL may hold
    // secrets.
    const auto edits = co_await may_edit_webhooks(services, call.caller, row.workspace);
    DET_CO_TRY(edits);
    webhooks.push_back(webhook_json(row, *edits));
  }
  co_return ok({{"webhooks", std::move(webhooks)}});
}

Task<Result<http::Response>> get_webhook(ApiServices& services, Call call) {
  const auto row = co_await own_webhook(services, call);
  DET_CO_TRY(row);
  co_return ok({{"webhook", webhook_json(*row, true)}});
}

Task<Result<http::Response>> list_deliveries(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const store::Page page = query.page();
  DET_CO_TRY(query.status());
  const auto webhook = co_await own_webhook(services, call);
  DET_CO_TRY(webhook);
  const auto rows = co_await services.stores.deliveries.list(webhook->id, page);
  DET_CO_TRY(rows);
  wire::Json deliveries = wire::Json::array();
  for (const store::DeliveryRow& row : rows->items) deliveries.push_back(delivery_json(row));
  co_return ok({{"deliveries", std::move(deliveries)}, {"pagination", pagination(page, *rows)}});
}

}  // namespace det::api::routes
