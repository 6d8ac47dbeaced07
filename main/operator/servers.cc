#include "main/operator/servers.h"

#include <utility>
#include <vector>

#include "base/race.h"
#include "main/operator/task_proxy.h"

namespace det::main {

Servers::Servers(asio::any_io_executor executor, Clock& clock, const ServeOptions& options,
                 store::ServiceStore& services, api::ApiServices& api, const std::string& kubernetes_server)
    : executor_(std::move(executor)),
      options_(options),
      proxy_(executor_, clock, services, proxy_options(options, kubernetes_server), look_up_by(api)) {}

http::ServerOptions Servers::settings() const {
  http::ServerOptions settings;
  settings.address = options_.listen_host;
  settings.tls.certificate_file = options_.certificate_file;
  settings.tls.key_file = options_.key_file;
  return settings;
}

Status Servers::start(http::Router api, std::function<bool()> is_prepared) {
  router_ = std::move(api);
  proxy_.add_routes(router_);
  http::ServerOptions serving = settings();
  serving.port = options_.listen_port;
  serving.gate = api_gate(options_, proxy_, std::move(is_prepared));
  serving.router_of = [this](const http::Request& request) { return proxy_.router_of(request); };
  api_.emplace(executor_, std::move(serving), router_);
  if (Status started = api_->start(); !started) {
    return std::unexpected(with_context(std::move(started).error(), "--listen"));
  }
  proxy_.add_own_port(api_->port());
  if (options_.master.proxy.port == 0) return {};
  http::ServerOptions tasks = settings();
  tasks.port = static_cast<std::uint16_t>(options_.master.proxy.port);
  tasks.gate = task_gate(options_);
  tasks_.emplace(executor_, std::move(tasks), proxy_.task_router());
  if (Status started = tasks_->start(); !started) {
    return std::unexpected(with_context(std::move(started).error(), "proxy.port of master.yaml"));
  }
  proxy_.add_own_port(tasks_->port());
  return {};
}

Task<void> Servers::stop() {
  std::vector<Task<void>> stopping;
  if (api_) stopping.push_back(api_->stop());
  if (tasks_) stopping.push_back(tasks_->stop());
  co_await all_of(std::move(stopping));
  co_await proxy_.flush();
}

}  // namespace det::main
