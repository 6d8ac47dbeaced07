// Making webhooks, changing and trying them.

#include "api/arguments.h"
#include "api/webhooks/routes.h"
#include "api/webhooks/webhook_forms.h"
#include "api/webhooks/webhook_sender.h"

namespace det::api::routes {

Task<Result<http::Response>> create_webhook(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  auto row = read_webhook(fields, services.webhook_sender.config());
  DET_CO_TRY(row);
  const auto may = co_await may_edit_webhooks(services, call.caller, row->workspace);
  DET_CO_TRY(may);
  if (!*may) {
    co_return fail(ErrorCode::kPermissionDenied,
                   "non admin users can't edit global webhooks, nor those of others' workspaces: name a workspaceId "
                   "that is yours");
  }
  const auto made = co_await services.stores.webhooks.create(std::move(*row));
  DET_CO_TRY(made);
  call.note.object = "webhooks/" + std::to_string(made->id);
  co_return ok({{"webhook", webhook_json(*made, true)}});
}

Task<Result<http::Response>> patch_webhook(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("url");
  const std::string url = fields.string("url").value_or("");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(check_webhook_url(url, services.webhook_sender.config()));
  const auto row = co_await own_webhook(services, call);
  DET_CO_TRY(row);
  DET_CO_TRY(co_await services.stores.webhooks.set_url(row->id, url));
  co_return ok();
}

Task<Result<http::Response>> delete_webhook(ApiServices& services, Call call) {
  const auto row = co_await own_webhook(services, call);
  DET_CO_TRY(row);
  DET_CO_TRY(co_await services.stores.webhooks.remove(row->id));
  co_return ok();
}

Task<Result<http::Response>> test_webhook(ApiServices& services, Call call) {
  auto row = co_await own_webhook(services, call);
  DET_CO_TRY(row);
  // Each takes as long as a receiver likes.
  const auto turn = co_await services.webhook_turns.wait(to_string(call.caller.user.id));
  DET_CO_TRY(co_await services.webhook_sender.test(std::move(*row)));
  co_return ok({{"completed", true}});
}

}  // namespace det::api::routes
