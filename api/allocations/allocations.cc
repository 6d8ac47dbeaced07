#include "api/allocations/all_gather.h"
#include "api/allocations/routes.h"
#include "api/arguments.h"
#include "api/wakeups.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// Notifications can be lost with the connection that brings them: look anyway now and then.
constexpr std::chrono::seconds kLookAgain{15};
constexpr std::chrono::minutes kPodIsWritten{1};  // longer than another leader takes to begin
constexpr std::int64_t kMaxPollSeconds = 600;

std::unexpected<Error> not_found(const std::string& id) {
  return fail(ErrorCode::kNotFound, "allocation '" + id + "' not found");
}

std::unexpected<Error> ended(const std::string& id) {
  return fail(ErrorCode::kFailedPrecondition, "allocation '" + id + "' has ended");
}

Task<Result<store::AllocationRow>> row_of(ApiServices& services, std::string id) {
  auto row = co_await services.stores.allocations.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return not_found(id);
  co_return std::move(**row);
}

// The answer of handlers that only change a row.
Result<http::Response> answer(const Status& status) {
  DET_TRY(status);
  return ok();
}

}  // namespace

Task<Result<http::Response>> rendezvous(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  const std::string resources = path_text(call.request, "resources");
  const auto row = co_await row_of(services, id);
  DET_CO_TRY(row);
  Wakeups::Watch watch(services.wakeups, {Wakeups::allocation_key(id)});
  for (;;) {
    const auto seen = watch.version();
    const auto gang = co_await services.stores.allocations.rendezvous(id, resources);
    // A pod may ask before the reconciler has written that it exists.
    const bool is_early = !gang && gang.error().code == ErrorCode::kNotFound;
    if (!gang && !is_early) co_return std::unexpected(gang.error());
    if (gang && *gang) {
      const store::RendezvousInfo& info = **gang;
      co_return ok({{"rendezvousInfo", {{"addresses", info.addresses}, {"rank", info.rank}, {"slots", info.slots}}}});
    }
    const auto now = co_await row_of(services, id);
    if (now && now->ended_at) co_return ended(id);
    co_await watch.wait(seen, kLookAgain);
  }
}

Task<Result<http::Response>> preemption(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  QueryArguments query(call.request.query);
  const std::int64_t asked = query.integer("timeoutSeconds").value_or(0);
  DET_CO_TRY(query.status());
  const std::chrono::seconds timeout(std::clamp<std::int64_t>(asked, 0, kMaxPollSeconds));
  const SteadyTime deadline = services.clock.steady_now() + timeout;
  Wakeups::Watch watch(services.wakeups, {Wakeups::allocation_key(id)});
  for (bool is_first = true;; is_first = false) {
    const auto seen = watch.version();
    const auto stops = co_await services.stores.allocations.should_stop(id);
    // Later looks that fail do not matter: the client asks again.
    if (!stops && is_first) co_return std::unexpected(stops.error());
    if (stops && !*stops) co_return not_found(id);
    if (stops && **stops) co_return ok({{"preempt", true}});
    const auto left = deadline - services.clock.steady_now();
    if (left <= SteadyTime::duration::zero()) co_return ok({{"preempt", false}});
    co_await watch.wait(seen, std::min<SteadyTime::duration>(left, kLookAgain));
  }
}

Task<Result<http::Response>> ack_preemption(ApiServices& services, Call call) {
  co_return answer(co_await services.stores.allocations.ack_preemption(path_text(call.request, "id")));
}

Task<Result<http::Response>> pending_preemption(ApiServices& services, Call call) {
  co_return answer(co_await services.stores.allocations.request_preemption(path_text(call.request, "id")));
}

Task<Result<http::Response>> report_accelerator(ApiServices& services, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  wire::RequestFields data = fields.object("acceleratorData");
  const std::string container = data.string("containerId").value_or("");
  for (const Status& status : {fields.status(), data.status()}) {
    DET_CO_TRY(status);
  }
  const wire::Json* const accelerator = fields.any("acceleratorData");
  if (accelerator == nullptr) co_return ok();
  const std::string id = path_text(call.request, "id");
  const SteadyTime deadline = services.clock.steady_now() + kPodIsWritten;
  Wakeups::Watch watch(services.wakeups, {Wakeups::allocation_key(id)});
  for (;;) {
    const auto seen = watch.version();
    const Status kept = co_await services.stores.allocations.set_accelerator(id, container, *accelerator);
    // A pod may report before the reconciler has written that it exists, and its program ends where it is refused.
    if (kept || kept.error().code != ErrorCode::kNotFound) co_return answer(kept);
    const auto row = co_await row_of(services, id);
    DET_CO_TRY(row);
    if (container.empty() || row->ended_at || services.clock.steady_now() >= deadline) co_return answer(kept);
    co_await watch.wait(seen, kLookAgain);
  }
}

// The address of each pod is known from Kubernetes; what the harness thinks of it is not needed.
Task<Result<http::Response>> report_proxy_address(ApiServices& services, Call call) {
  const auto row = co_await row_of(services, path_text(call.request, "id"));
  DET_CO_TRY(row);
  co_return ok();
}

Task<Result<http::Response>> report_daemon(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  co_return answer(co_await services.stores.allocations.set_daemon(id, path_text(call.request, "resources")));
}

Task<Result<http::Response>> report_ready(ApiServices& services, Call call) {
  co_return answer(co_await services.stores.allocations.mark_ready(path_text(call.request, "id")));
}

Task<Result<http::Response>> report_waiting(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  co_return answer(co_await services.stores.allocations.advance(id, model::AllocationState::kWaiting));
}

Task<Result<http::Response>> all_gather(ApiServices& services, Call call) {
  const std::string id = path_text(call.request, "id");
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("requestUuid");
  fields.require("numPeers");
  const std::string peer = fields.string("requestUuid").value_or("");
  const std::int64_t peers = fields.integer("numPeers").value_or(0);
  DET_CO_TRY(fields.status());
  const auto row = co_await row_of(services, id);
  DET_CO_TRY(row);
  if (row->ended_at) co_return ended(id);
  const wire::Json* const data = fields.any("data");
  wire::Json mine = data == nullptr ? wire::Json::object() : *data;
  const int num_peers = static_cast<int>(std::clamp<std::int64_t>(peers, 0, 100'000));
  const auto all = co_await services.all_gather.join(id, peer, num_peers, std::move(mine));
  DET_CO_TRY(all);
  DET_CO_TRY(co_await services.stores.allocations.mark_ready(id));
  co_return ok({{"data", *all}});
}

}  // namespace det::api::routes
