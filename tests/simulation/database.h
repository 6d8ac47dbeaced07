#pragma once

// The simulation's PostgreSQL: one private server, one database that is emptied between runs. now() of every statement
// and default is the virtual time that was set last. Blocking; transactions of simulated processes run one at a time,
// on the thread of the simulation.

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "pg/pool.h"
#include "pg/raw_connection.h"

namespace det::simulation {

class Database {
 public:
  Database();

  // As it was after the migrations.
  void reset();
  void set_time(WallTime now);
  // The first field of each row, of a statement that only reads and asks for no time. Asked once until the database
  // has changed().
  std::vector<std::string> column(const std::string& sql);
  // The first field of the only row; empty: NULL, or no row.
  std::string value(const std::string& sql);
  void execute(const std::string& sql);
  // Others have written to it.
  void changed() { known_.clear(); }
  // What the channels of searchers, removals and tasks have carried since the last call.
  struct Notification {
    std::string channel;
    std::string payload;
  };
  std::vector<Notification> notifications();

  [[nodiscard]] const std::string& url() const { return url_; }
  // Of pools to it, from one world to the next.
  [[nodiscard]] const std::shared_ptr<pg::SpareConnections>& spare_connections() const { return spare_; }

 private:
  pg::ResultHandle ask(const std::string& sql);

  std::string url_;
  std::optional<pg::RawConnection> connection_;
  std::shared_ptr<pg::SpareConnections> spare_ = pg::make_spare_connections();
  std::string cleaning_;
  WallTime told_{};
  std::unordered_map<std::string, std::vector<std::string>> known_;  // answers, by statement
};

}  // namespace det::simulation
