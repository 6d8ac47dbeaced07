#include "operator/reconcile_guard.h"

#include <exception>
#include <utility>

#include "base/cut_text.h"
#include "base/encoding.h"
#include "base/json_get.h"
#include "operator/conditions.h"
#include "operator/status_writer.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr const char* kReason = "InternalError";
constexpr std::size_t kLongestWhat = 300;

// A library may quote in its words what it could not read.
std::string tellable(const std::string& what) {
  return is_valid_utf8(what) ? cut_text(what, kLongestWhat) : "its text is not UTF-8";
}

}  // namespace

Task<Result<k8s::Outcome>> ReconcileGuard::run(Task<Result<k8s::Outcome>> reconcile,
                                               std::function<std::optional<Reconciled>()> object, Logger log) {
  std::exception_ptr thrown;
  std::string what;
  try {
    co_return co_await std::move(reconcile);
  } catch (const std::exception& e) {
    thrown = std::current_exception();
    what = tellable(e.what());
  }
  // Cancellation unwinds as an exception, too.
  const auto state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) std::rethrow_exception(thrown);
  log.error("a reconcile threw", {{"what", what}});
  try {
    if (auto found = object()) co_await tell(std::move(*found), what, log);
  } catch (const std::exception& e) {
    if (state.cancelled() != asio::cancellation_type::none) throw;
    log.error("telling the object of it threw, too", {{"what", tellable(e.what())}});
  }
  co_return fail(ErrorCode::kInternal, "internal error: " + what);
}

Task<void> ReconcileGuard::tell(Reconciled object, std::string what, Logger log) {
  const std::string message =
      "the operator met an error of its own here and tries again; its log has more, please report it: " + what;
  events_.publish(object.subject, k8s::EventType::kWarning, kReason, message);
  // Once, whatever the words: a write is an event, and each would bring the next try before its time.
  for (const json& condition : get_array(object.status, "conditions")) {
    const bool is_stalled = get_string(condition, "type") == "Stalled" && get_string(condition, "status") == "True";
    if (is_stalled && get_string(condition, "reason") == kReason) co_return;
  }
  json wanted = object.status.is_object() ? object.status : json::object();
  const Condition stalled{.type = "Stalled", .status = Truth::kTrue, .reason = kReason, .message = message};
  wanted["conditions"] =
      put_condition(get_array(object.status, "conditions"), stalled, object.generation, clock_.wall_now());
  const Status said = co_await write_status(client_, object.subject.resource, object.subject.key,
                                            std::move(object.status), std::move(wanted));
  if (!said) log.warn("the status could not be written either", {{"error", said.error().message}});
}

}  // namespace det::op
