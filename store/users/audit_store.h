#pragma once

// The audit log's events in PostgreSQL, for who asks for them there. Events wait in memory for the next of the writes,
// which come once a second; while the database is away up to kWaiting of them are kept, and those beyond are counted in
// the log. Belongs to the io thread; Pool and Clock outlive it.

#include <cstddef>
#include <vector>

#include "base/audit_log.h"
#include "base/clock.h"
#include "base/log.h"
#include "pg/pool.h"

namespace det::store {

class AuditStore {
 public:
  static constexpr std::size_t kWaiting = 10'000;

  AuditStore(pg::Pool& pool, Clock& clock) : pool_(pool), clock_(clock) {}

  // Takes an event for the next write.
  void add(const AuditEvent& event);
  // Writes what waits.
  Task<Status> flush();
  // Deletes events older than `days`; returns how many.
  Task<Result<int>> remove_older(int days);
  // Writes once a second, for ever; deletes once an hour what is older than `days`, 0: nothing.
  Task<void> run(int days);

 private:
  pg::Pool& pool_;
  Clock& clock_;
  Logger log_{"audit"};
  std::vector<AuditEvent> waiting_;
  std::size_t lost_ = 0;
};

}  // namespace det::store
