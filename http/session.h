#pragma once

// One connection: reads requests, runs handlers, writes answers, until either side closes. A detail of http/server.cc.
// Belongs to the io thread.

#include <cstddef>
#include <cstdint>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/log.h"
#include "base/task.h"
#include "http/body_budget.h"
#include "http/connection_book.h"
#include "http/router.h"
#include "http/server.h"
#include "http/server_load.h"
#include "http/step_meter.h"

namespace det::http {

// What all sessions of a server share; outlives them.
struct SessionShared {
  const Router& router;
  const ServerOptions& options;
  asio::thread_pool& spool_pool;
  BodyBudget& budget;
  ConnectionBook& book;
  Logger log;
  std::map<std::string, RouteLoad> routes = {};
  bool is_stopping = false;
};

// Told by a session when it begins and when it ends.
class SessionRegistry {
 public:
  virtual ~SessionRegistry() = default;
  virtual void add(Connection& session) = 0;
  virtual void remove(Connection& session) = 0;
};

// Keeps a session in the registry while it runs.
class Registered {
 public:
  Registered(SessionRegistry& registry, Connection& session) : registry_(registry), session_(session) {
    registry_.add(session_);
  }
  ~Registered() { registry_.remove(session_); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

 private:
  SessionRegistry& registry_;
  Connection& session_;
};

// `tls` null: plain HTTP. Runs on a MeteredExecutor of `meter`.
Task<void> run_session(asio::ip::tcp::socket socket, asio::ssl::context* tls, SessionShared* shared,
                       SessionRegistry* registry, std::shared_ptr<StepMeter> meter);

}  // namespace det::http
