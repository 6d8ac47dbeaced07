#pragma once

// A private PostgreSQL for a test program: its own folder, a unix socket only, stopped by pid at the end (and by the
// kernel when the program dies). As root it runs as an unprivileged user, because PostgreSQL refuses root. Aborts the
// program when it cannot be started: a test without its database proves nothing.

#include <string>

#include <sys/types.h>

namespace det::test {

class PostgresServer {
 public:
  PostgresServer();   // initdb and start
  ~PostgresServer();  // stop, remove the folder
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Returns when it answers.
  void start();
  // Starts again as a standby that nothing comes to. `SELECT pg_promote()` makes it a primary.
  void demote();
  // Ends sessions, waits until it has gone.
  void stop();
  // kill -9 of the postmaster; waits until all of it has gone.
  void crash();

  // Makes an empty database, or a copy of `like`, with a name nobody had, and returns its URL.
  std::string create_database(const std::string& like = {});
  [[nodiscard]] std::string url(const std::string& database) const;

 private:
  void end_with(int signal);

  std::string folder_;
  pid_t pid_ = 0;
  int databases_ = 0;
};

// The one of this program, started when first asked for.
PostgresServer& shared_postgres();

// Name of a database of shared_postgres() that has the schema of store/, to copy.
const std::string& store_template();

}  // namespace det::test
