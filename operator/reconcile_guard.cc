#include "operator/reconcile_guard.h"

#include <exception>
#include <utility>

#include "base/json_get.h"
#include "operator/conditions.h"
#include "operator/status_writer.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr const char* kReason = "InternalError";
constexpr std::size_t kLongestWhat = 300;

// `status` with Stalled=True; its other conditions stay as they are.
json stalled_status(const Reconciled& object, const std::string& message, WallTime now) {
  json status = object.status.is_object() ? object.status : json::object();
  const json& before = get_array(object.status, "conditions");
  json all = json::array();
  for (const json& condition : before) {
    if (get_string(condition, "type") != "Stalled") all.push_back(condition);
  }
  const Condition stalled{.type = "Stalled", .status = Truth::kTrue, .reason = kReason, .message = message};
  for (json& condition : merge_conditions(before, {stalled}, object.generation, now)) {
    all.push_back(std::move(condition));
  }
  status["conditions"] = std::move(all);
  return status;
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
    what = e.what();
  }
  // Cancellation unwinds as an exception, too.
  const auto state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) std::rethrow_exception(thrown);
  log.error("a reconcile threw", {{"what", what}});
  if (auto found = object()) co_await tell(std::move(*found), what, log);
  co_return fail(ErrorCode::kInternal, "internal error: " + what);
}

Task<void> ReconcileGuard::tell(Reconciled object, std::string what, Logger log) {
  if (what.size() > kLongestWhat) what.resize(kLongestWhat);
  const std::string message =
      "the operator met an error of its own here and tries again; its log has more, please report it: " + what;
  events_.publish(object.subject, k8s::EventType::kWarning, kReason, message);
  json wanted = stalled_status(object, message, clock_.wall_now());
  const Status said = co_await write_status(client_, object.subject.resource, object.subject.key,
                                            std::move(object.status), std::move(wanted));
  if (!said) log.warn("the status could not be written either", {{"error", said.error().message}});
}

}  // namespace det::op
