#pragma once

// Connections to the programs of tasks: made with a time limit, kept for the next request where the last one ended
// cleanly. Belongs to the io thread; the executor, clock and watch outlive it.

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ssl/context.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "http/byte_stream.h"
#include "proxy/targets.h"
#include "proxy/watch.h"

namespace det::proxy {

class PodConnection {
 public:
  virtual ~PodConnection() = default;
  [[nodiscard]] virtual http::ByteStream& stream() = 0;
  // Nothing has come that nobody asked for, no end either: it can carry a request.
  [[nodiscard]] virtual bool is_quiet() = 0;

  bool is_used = false;  // it has carried a request before
  SteadyTime idle_since;
};
using PodConnectionPtr = std::unique_ptr<PodConnection>;

struct PoolLimits {
  std::size_t idle_per_service = 64;  // a page with many clients makes no new connection for each request
  std::size_t idle_in_all = 512;
  std::chrono::seconds idle_for{30};
  std::chrono::milliseconds connect_timeout{10'000};
};

class PodConnections final : private Watch::Watched {
 public:
  PodConnections(asio::any_io_executor executor, Clock& clock, Watch& watch, TargetRules rules, PoolLimits limits = {});
  ~PodConnections() override;

  // A kept connection that was used within `younger_than`; null when there is none.
  [[nodiscard]] PodConnectionPtr take(const store::ProxyService& service, std::chrono::nanoseconds younger_than);
  // kUnavailable: nobody answers there. kPermissionDenied: see target_of().
  Task<Result<PodConnectionPtr>> connect(store::ProxyService service);
  // It may carry the next request to the same service.
  void keep(const store::ProxyService& service, PodConnectionPtr connection);

  // Ports of our own server are known once it listens.
  void add_own_port(int port) { rules_.own_ports.push_back(port); }
  [[nodiscard]] std::size_t idle() const { return idle_; }

 private:
  void look(SteadyTime now) override;

  asio::any_io_executor executor_;
  Clock& clock_;
  Watch& watch_;
  TargetRules rules_;
  PoolLimits limits_;
  boost::asio::ssl::context tls_;
  std::map<std::string, std::vector<PodConnectionPtr>> kept_;  // the latest last
  std::size_t idle_ = 0;
};

}  // namespace det::proxy
