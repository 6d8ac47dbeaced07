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
#include "http/router.h"
#include "http/server.h"

namespace det::http {

// What all sessions of a server share; outlives them.
struct SessionShared {
  const Router& router;
  const ServerOptions& options;
  asio::thread_pool& spool_pool;
  Logger log;
  bool is_stopping = false;
};

// How stop() speaks to a running session.
class SessionControl {
 public:
  virtual ~SessionControl() = default;
  // Closes the connection unless a request that must not be cut is running; that one ends the connection itself.
  virtual void stop() = 0;
};

// Told by a session when it begins and when it ends.
class SessionRegistry {
 public:
  virtual ~SessionRegistry() = default;
  virtual void add(SessionControl* session) = 0;
  virtual void remove(SessionControl* session) = 0;
};

// `tls` null: plain HTTP.
Task<void> run_session(asio::ip::tcp::socket socket, asio::ssl::context* tls, SessionShared* shared,
                       SessionRegistry* registry);

}  // namespace det::http
