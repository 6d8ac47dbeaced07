#include "proxy/proxy.h"

#include <any>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/race.h"
#include "proxy/browser.h"
#include "proxy/pod_connection.h"
#include "proxy/refusals.h"
#include "proxy/request_times.h"
#include "proxy/tcp_tunnel.h"
#include "store/channels.h"

namespace det::proxy {
namespace {

constexpr std::chrono::seconds kRetry{1};
constexpr std::size_t kUuid = 36;

}  // namespace

struct Proxy::Parts {
  Parts(const asio::any_io_executor& executor, Clock& its_clock, store::ServiceStore& its_store, ProxyOptions options,
        LookUp look_up)
      : clock(its_clock),
        store(its_store),
        origins(options.origins),
        pods(executor, clock, watch, std::move(options.targets)),
        gatekeeper(clock, services, store, origins, std::move(look_up)) {}

  Clock& clock;
  store::ServiceStore& store;
  TaskOrigins origins;
  Watch watch;
  PodConnections pods;
  Rights rights{clock, [this](Ground ground) { return gatekeeper.still_holds(std::move(ground)); }};
  Shared shared{.clock = clock, .watch = watch, .pods = pods, .rights = rights};
  Services services{clock, store};
  RequestTimes times{clock, store};
  Gatekeeper gatekeeper;
  http::Router task_router;

  Task<std::optional<http::Response>> admit(http::Request& request, bool is_apis_origin) {
    auto admitted =
        is_apis_origin ? co_await gatekeeper.admit_to_api(request) : co_await gatekeeper.admit_to_task(request);
    if (!admitted) co_return std::move(admitted.error());
    request.account = admitted->account;
    request.admitted = std::move(*admitted);
    co_return std::nullopt;
  }

  Task<http::TakeoverEnd> carry(http::Request& request, http::ClientStream& client) {
    auto passage = std::any_cast<Passage>(std::exchange(request.admitted, {}));
    passage.note_request = [this, id = passage.service.id] { times.note(id); };
    if (request.method == "TRACE") co_return refused(405, "TRACE is not forwarded: it would show what stays here");
    if (passage.service.is_tcp) co_return co_await run_tcp_tunnel(shared, std::move(passage), request, client);
    co_return co_await run_exchange(shared, std::move(passage), request, client);
  }

  http::RouteOptions route(bool is_apis_origin) {
    http::RouteOptions options;
    options.admit = [this, is_apis_origin](http::Request& request) { return admit(request, is_apis_origin); };
    options.takeover = [this](http::Request& request, http::ClientStream& client) { return carry(request, client); };
    return options;
  }

  // The front page of a task's origin.
  Task<http::Response> find_task(const http::Request& request) {
    std::string id = origins.label_of(request.headers.find("Host").value_or("")).value_or("");
    if (id.size() > kUuid && id[id.size() - kUuid - 1] == '-') id[id.size() - kUuid - 1] = '.';  // of a trial
    const auto found =
        id.empty() ? std::optional<store::ProxyService>() : (co_await services.find(id)).value_or(std::nullopt);
    if (!found) co_return message(404, "no task is here");
    co_return http::Response::see_other("/proxy/" + id + "/");
  }

  Task<void> load_key() {
    for (;;) {
      auto key = co_await store.signing_key();
      if (key) co_return gatekeeper.set_key(std::move(*key));
      Logger("proxy").warn("the proxy's key could not be read", {{"error", key.error().message}});
      co_await clock.sleep_for(kRetry);
    }
  }
};

Proxy::Proxy(asio::any_io_executor executor, Clock& clock, store::ServiceStore& store, ProxyOptions options,
             LookUp look_up)
    : parts_(std::make_unique<Parts>(executor, clock, store, std::move(options), std::move(look_up))) {
  parts_->task_router.add("*", "/proxy/{service}/{rest...}", {}, parts_->route(false));
  parts_->task_router.add("GET", "/",
                          [p = parts_.get()](const http::Request& request) { return p->find_task(request); });
}
Proxy::~Proxy() = default;

void Proxy::add_routes(http::Router& api) {
  api.add("*", "/proxy/{service}/{rest...}", {}, parts_->route(true));
}

const http::Router& Proxy::task_router() const {
  return parts_->task_router;
}

const http::Router* Proxy::router_of(const http::Request& request) const {
  const auto host = request.headers.find("Host");
  return host && parts_->origins.label_of(*host) ? &parts_->task_router : nullptr;
}

std::optional<http::Response> Proxy::refusal(const http::Request& request) const {
  const auto origin = request.headers.find("Origin");
  if (!origin || !parts_->origins.is_task_origin(*origin) || router_of(request) != nullptr) return std::nullopt;
  return message(403, "a page of a task may not send requests here");
}

void Proxy::add_own_port(int port) {
  parts_->pods.add_own_port(port);
}

Task<void> Proxy::run() {
  std::vector<Task<void>> parts;
  parts.push_back(parts_->load_key());
  parts.push_back(parts_->watch.run(parts_->clock));
  parts.push_back(parts_->rights.run());
  parts.push_back(parts_->times.run());
  co_await all_of(std::move(parts));
}

Task<void> Proxy::flush() {
  return parts_->times.flush();
}

void Proxy::on_notify(const std::string& channel, const std::string& payload) {
  if (channel == store::kProxyChannel) parts_->services.forget_task(payload);
  if (channel == store::kAllocationEndChannel) parts_->services.forget_allocation(payload);
}

void Proxy::forget_all() {
  parts_->services.forget_all();
}

}  // namespace det::proxy
