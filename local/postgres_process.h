#pragma once

// A private PostgreSQL: its own folder, a unix socket only, ended with this process (by stop(), or by the kernel's
// signal when the process is killed), with everything written out. As root the server runs as the user `postgres`,
// because PostgreSQL refuses root. Belongs to the io thread; start() and stop() block.
//
//   PostgresProcess database(io.get_executor(), {.folder = "/var/lib/x/postgres"});
//   if (Status started = database.start(); !started) ...
//   ... database.supervise() runs beside the rest; database.url() connects ...
//   database.stop();

#include <cstddef>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"

namespace det::local {

struct PostgresOptions {
  std::string folder;  // absolute; holds data, socket and log. As root, its parents must be open to `postgres`
  int max_connections = 40;
  std::string shared_buffers = "64MB";
};

// The socket of the server of this folder; the kernel takes no longer path.
[[nodiscard]] std::string socket_of(const std::string& folder);
inline constexpr std::size_t kLongestSocket = 107;  // bytes

class PostgresProcess {
 public:
  PostgresProcess(asio::any_io_executor executor, Clock& clock, PostgresOptions options);
  ~PostgresProcess();  // stop() has returned, or start() was never called
  PostgresProcess(const PostgresProcess&) = delete;
  PostgresProcess& operator=(const PostgresProcess&) = delete;

  // Makes the cluster on first use, starts the server and returns when it answers. kFailedPrecondition when PostgreSQL
  // is not installed, or not in the major version that wrote the data (which is never made anew), or the folder cannot
  // be reached by its user; kUnavailable, with the end of its log, when it does not start.
  [[nodiscard]] Status start();
  // Until cancelled: a server that ended by itself is started again, at once the first time and then more and more
  // seldom (local/restart_pause.h).
  Task<void> supervise();
  // Ends open sessions, writes everything out, waits until the server has gone.
  void stop();
  // For libpq. The database is `postgres`.
  [[nodiscard]] std::string url() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace det::local
