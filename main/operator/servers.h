#pragma once

// What listens: one server with the API and the proxy of tasks, and where master.yaml gives tasks a port, a second one.
// Belongs to the io thread; what it is given outlives it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "api/services.h"
#include "base/clock.h"
#include "http/router.h"
#include "http/server.h"
#include "main/operator/serve_options.h"
#include "proxy/proxy.h"
#include "store/proxy/service_store.h"

namespace det::main {

class Servers {
 public:
  // `kubernetes_server`: "https://host:port"; no task is there.
  Servers(asio::any_io_executor executor, Clock& clock, const ServeOptions& options, store::ServiceStore& services,
          api::ApiServices& api, const std::string& kubernetes_server);

  // Serves `api` and the proxy. Nobody logs in before `is_prepared`.
  [[nodiscard]] Status start(http::Router api, std::function<bool()> is_prepared);
  Task<void> stop();

  [[nodiscard]] proxy::Proxy& proxy() { return proxy_; }
  // Once it has started.
  [[nodiscard]] std::uint16_t port() const { return api_->port(); }
  [[nodiscard]] http::ServerLoad load() const { return api_ ? api_->load() : http::ServerLoad(); }

 private:
  [[nodiscard]] http::ServerOptions settings() const;

  asio::any_io_executor executor_;
  const ServeOptions& options_;
  proxy::Proxy proxy_;
  http::Router router_;
  std::optional<http::Server> api_;
  std::optional<http::Server> tasks_;
};

}  // namespace det::main
