#include "store/users/audit_store.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/wall_time.h"
#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::chrono::seconds kPause{1};
constexpr int kPausesPerSweep = 3600;
constexpr std::size_t kMostAtOnce = 500;

const char* const kInsert =
    "INSERT INTO audit_events (at, action, username, token, object, origin, forwarded, status, reason) "
    "SELECT at, action, username, token, object, origin, forwarded, status, reason "
    "FROM jsonb_to_recordset($1::jsonb) AS e(at timestamptz, action text, username text, token text, object text, "
    "origin text, forwarded text, status integer, reason text)";
// Some at a time: all of a long history would take longer than a statement may. Index audit_events_at.
constexpr std::int64_t kMostRemoved = 5'000;
const char* const kRemove =
    "DELETE FROM audit_events WHERE ctid = ANY(ARRAY(SELECT ctid FROM audit_events WHERE at < now() - "
    "make_interval(days => $1) ORDER BY at LIMIT $2))";

// PostgreSQL's texts hold no NUL.
std::string storable(const std::string& text) {
  std::string kept = text.substr(0, 300);
  std::ranges::replace(kept, '\0', ' ');
  return kept;
}

std::string rows_of(const std::vector<AuditEvent>& events, std::size_t count) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < count; ++i) {
    const AuditEvent& event = events[i];
    rows.push_back({{"at", format_rfc3339_micros(event.at)},
                    {"action", storable(event.action)},
                    {"username", storable(event.user)},
                    {"token", storable(event.token)},
                    {"object", storable(event.object)},
                    {"origin", storable(event.from)},
                    {"forwarded", storable(event.forwarded)},
                    {"status", event.status},
                    {"reason", storable(event.reason)}});
  }
  return rows.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void AuditStore::add(const AuditEvent& event) {
  if (waiting_.size() < kWaiting) {
    waiting_.push_back(event);
  } else {
    ++lost_;
  }
}

Task<Status> AuditStore::flush() {
  while (!waiting_.empty()) {
    const std::size_t count = std::min(waiting_.size(), kMostAtOnce);
    auto body = [rows = rows_of(waiting_, count)](pg::Transaction& tx) -> Status {
      run_sql(tx, kInsert, rows);
      return {};
    };
    const Status written = co_await pool_.write("write audit events", std::move(body));
    if (!written) co_return written;
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (lost_ > 0) {
    log_.error("the database was away: events are in the lines only", {{"events", std::exchange(lost_, 0)}});
  }
  co_return Status();
}

Task<Result<int>> AuditStore::remove_older(int days) {
  for (int removed = 0;;) {
    auto body = [days](pg::Transaction& tx) -> Result<int> {
      return static_cast<int>(run_sql(tx, kRemove, days, kMostRemoved).affected_rows());
    };
    const auto some = co_await pool_.write("remove audit events", std::move(body));
    DET_CO_TRY(some);
    removed += *some;
    if (*some < kMostRemoved) co_return removed;
  }
}

Task<void> AuditStore::run(int days) {
  for (int pauses = 0;; ++pauses) {
    // What cannot be written now waits for the next time.
    (void)co_await flush();
    if (days > 0 && pauses % kPausesPerSweep == 0) {
      const auto removed = co_await remove_older(days);
      if (!removed) log_.warn("old audit events could not be removed", {{"error", removed.error().message}});
    }
    co_await clock_.sleep_for(kPause);
  }
}

}  // namespace det::store
