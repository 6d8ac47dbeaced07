// Where Determined's CLI sends browsers to open a notebook or TensorBoard: a page that waits until the task answers,
// and then goes there.

#include <algorithm>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/authenticator.h"
#include "api/pages/html.h"
#include "api/pages/routes.h"
#include "base/encoding.h"
#include "base/json_get.h"
#include "http/target.h"
#include "k8sclient/resource.h"
#include "model/taskconf/task_config.h"

namespace det::api::routes {

namespace {

constexpr int kLookAgainSeconds = 2;
constexpr std::size_t kLongestToken = 256;

bool is_token_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// The CLI hides the notebook's token in the address that the page is to go to: ".../proxy/ID/?token=T&...". Nothing
// else of that address counts.
std::string token_in(std::string_view text) {
  constexpr std::string_view kName = "?token=";
  const auto at = text.rfind(kName);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + kName.size());
  const auto end = std::ranges::find_if_not(text, is_token_letter);
  return std::string(text.begin(), end).substr(0, kLongestToken);
}

// Why it waits or how far it is, in the words of its object.
Task<std::string> message_of(ApiServices& services, const store::TaskRow& row) {
  if (row.name.empty()) co_return std::string();
  const auto object = co_await services.kubernetes.get(k8s::tasks(), {.ns = row.ns, .name = row.name});
  if (!object) co_return std::string();
  co_return get_string(get_any(*object, "status"), "message");
}

Page ended_page(const store::TaskRow& row) {
  return {.title = row.description + " has ended",
          .body = "<p>" + html_text(row.exit_reason.empty() ? std::string(to_string(row.state)) : row.exit_reason) +
                  "</p><p>Its log: <code>det task logs " + html_text(row.id) + "</code></p>",
          .script = {},
          .refresh_seconds = 0};
}

Task<Page> waiting_page(ApiServices& services, const store::TaskRun& run) {
  const std::string why = co_await message_of(services, run.task);
  const bool runs = run.allocation && run.allocation->state == model::AllocationState::kRunning;
  std::string body = runs ? "<p>Its program is starting.</p>" : "<p>It waits for its pod.</p>";
  if (!why.empty()) body += "<p>" + html_text(why) + "</p>";
  body +=
      "<p>This page goes there by itself. The log: <code>det task logs -f " + html_text(run.task.id) + "</code></p>";
  co_return Page{.title = run.task.description + " is starting",
                 .body = std::move(body),
                 .script = {},
                 .refresh_seconds = kLookAgainSeconds};
}

Page no_such_task(const std::string& id) {
  return {.title = "No such task",
          .body = "<p>There is no notebook or TensorBoard <code>" + html_text(id) + "</code> that you may open.</p>",
          .script = {},
          .refresh_seconds = 0};
}

// As the proxy does: the token, the owner, admins, and for TensorBoards everybody who is logged in.
bool may_open(const store::TaskRow& row, const std::string& token, const Identity* caller) {
  if (!token.empty() && !row.access.token.empty() && is_same_secret(token, row.access.token)) return true;
  if (caller == nullptr || caller->kind != TokenKind::kLogin) return false;
  if (!may(*caller, model::Permission::kViewNsc, row.workspace)) return false;
  return is_admin(*caller) || caller->user.id == row.owner ||
         row.type == model::task_word(model::TaskType::kTensorBoard);
}

Task<Result<http::Response>> open_task(ApiServices& services, const Call& call, std::string id, std::string token) {
  auto caller = co_await services.authenticator.identify(call.request);
  if (caller) caller = co_await with_grants(services, std::move(*caller));
  if (!caller && caller.error().code != ErrorCode::kUnauthenticated &&
      caller.error().code != ErrorCode::kPermissionDenied) {
    co_return std::unexpected(caller.error());
  }
  if (!caller && token.empty())
    co_return http::Response::see_other("/det/login?redirect=" + http::encode_component(call.request.target));
  const auto run = co_await services.stores.tasks.run_of(id);
  DET_CO_TRY(run);
  if (!*run || !may_open((**run).task, token, caller ? caller->get() : nullptr)) {
    if (!caller)
      co_return http::Response::see_other("/det/login?redirect=" + http::encode_component(call.request.target));
    co_return page_response(no_such_task(id), 404);
  }
  if (model::is_terminal((**run).task.state)) co_return page_response(ended_page((**run).task));
  if (!(**run).allocation || !(**run).allocation->ready_at || (**run).allocation->ended_at) {
    co_return page_response(co_await waiting_page(services, **run));
  }
  const std::string there = "/proxy/" + (**run).task.id + "/";
  co_return http::Response::see_other(token.empty() ? there : there + "?token=" + token);
}

}  // namespace

Task<Result<http::Response>> interactive_page(ApiServices& services, Call call) {
  co_return co_await open_task(services, call, path_text(call.request, "id"),
                               token_in(path_text(call.request, "rest")));
}

Task<Result<http::Response>> wait_page(ApiServices& services, Call call) {
  co_return co_await open_task(services, call, path_text(call.request, "id"),
                               token_in(call.request.query.get("serviceAddr")));
}

}  // namespace det::api::routes
