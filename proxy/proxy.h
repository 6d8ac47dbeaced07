#pragma once

// From a browser or a client to the program of a task: "ANY /proxy/<service>[:port]/...". One per process, its parts
// wired together. Belongs to the io thread; what it is given outlives it, and it outlives the servers that serve it.

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.h"
#include "http/message.h"
#include "http/router.h"
#include "proxy/gatekeeper.h"
#include "proxy/targets.h"
#include "proxy/task_origins.h"
#include "store/proxy/service_store.h"

namespace det::proxy {

struct ProxyOptions {
  OriginOptions origins;
  TargetRules targets;
};

class Proxy {
 public:
  Proxy(boost::asio::any_io_executor executor, Clock& clock, store::ServiceStore& store, ProxyOptions options,
        LookUp look_up);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // For programs, on the API's origin.
  void add_routes(http::Router& api);
  // What browsers see under the origins of tasks, and nothing else.
  [[nodiscard]] const http::Router& task_router() const;
  // task_router() for requests whose Host is one of a task's; null for the others.
  [[nodiscard]] const http::Router* router_of(const http::Request& request) const;
  // The answer to a request of a task's page to another origin of ours.
  [[nodiscard]] std::optional<http::Response> refusal(const http::Request& request) const;

  // Ports of this program are known once it listens.
  void add_own_port(int port);
  // Once the database is prepared, until cancelled.
  Task<void> run();
  // Writes down what is not yet.
  Task<void> flush();
  void on_notify(const std::string& channel, const std::string& payload);
  // Notifications may have been lost.
  void forget_all();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace det::proxy
