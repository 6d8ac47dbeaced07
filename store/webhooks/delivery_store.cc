#include "store/webhooks/delivery_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

// Index webhook_deliveries_next, for each webhook. The webhook's row is locked before the delivery's, as by kFree. What
// another has claimed or finished meanwhile is claimed no more, and makes no webhook busy.
const char* const kClaim =
    "WITH next AS (SELECT w.id AS webhook, q.id FROM webhooks w CROSS JOIN LATERAL (SELECT d.id FROM "
    "webhook_deliveries "
    "d WHERE d.webhook_id = w.id AND d.state = 'WAITING' AND d.next_at <= now() ORDER BY d.next_at, d.id LIMIT 1) q "
    "WHERE w.busy_until <= now() AND ($3 OR NOT w.is_slow) ORDER BY w.is_slow, w.tried_at LIMIT $1 FOR UPDATE OF w "
    "SKIP "
    "LOCKED), "
    "claimed AS (UPDATE webhook_deliveries d SET next_at = now() + $2 * interval '1 second', attempts = attempts + 1 "
    "FROM next n WHERE d.id = n.id AND d.state = 'WAITING' AND d.next_at <= now() RETURNING d.*) "
    "UPDATE webhooks w SET busy_until = now() + $2 * interval '1 second', tried_at = now() FROM claimed d WHERE w.id = "
    "d.webhook_id "
    "RETURNING d.id, d.webhook_id, w.url, w.form, d.event_id, d.cause, d.facts, d.created_at, d.attempts";
const char* const kFree =
    "UPDATE webhooks SET busy_until = '-infinity', is_slow = $2 WHERE id = (SELECT webhook_id FROM webhook_deliveries "
    "WHERE id = $1)";
const char* const kFinish =
    "UPDATE webhook_deliveries SET state = $2, next_at = coalesce($3::timestamptz, next_at), status = $4, error = $5, "
    "finished_at = CASE WHEN $2 = 'WAITING' THEN NULL ELSE now() END WHERE id = $1";
// Index webhook_deliveries_next.
const char* const kNextDue =
    "SELECT min(greatest(q.next_at, w.busy_until)) FROM webhooks w CROSS JOIN LATERAL (SELECT min(d.next_at) AS "
    "next_at "
    "FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'WAITING') q WHERE q.next_at IS NOT NULL AND "
    "($1 "
    "OR NOT w.is_slow)";
const char* const kCount = "SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1";
const char* const kList =
    "SELECT id, event_id, cause, state, created_at, CASE WHEN state = 'WAITING' THEN next_at END, finished_at, "
    "attempts, status, error FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3";
const char* const kForget = "DELETE FROM webhook_deliveries WHERE finished_at < $1";

DeliveryRow read_delivery(const pqxx::row& row) {
  return {.id = row[0].as<std::int64_t>(),
          .event_id = as_text(row[1]),
          .cause = as_state(row[2], model::parse_webhook_cause),
          .state = as_text(row[3]),
          .created_at = as_time(row[4]),
          .next_at = as_optional_time(row[5]),
          .finished_at = as_optional_time(row[6]),
          .attempts = row[7].as<int>(),
          .status = as_optional<int>(row[8]),
          .error = as_text(row[9])};
}

}  // namespace

std::string_view to_string(DeliveryState state) {
  switch (state) {
    case DeliveryState::kWaiting:
      return "WAITING";
    case DeliveryState::kDelivered:
      return "DELIVERED";
    case DeliveryState::kFailed:
      return "FAILED";
  }
  return "";
}

Task<Result<std::vector<DueDelivery>>> DeliveryStore::claim(int most, std::chrono::seconds lease, Receivers whose) {
  auto body = [most, lease, whose](pg::Transaction& tx) -> Result<std::vector<DueDelivery>> {
    std::vector<DueDelivery> due;
    for (const auto& row : run_sql(tx, kClaim, most, lease.count(), whose == Receivers::kAll)) {
      due.push_back({.id = row[0].as<std::int64_t>(),
                     .webhook = row[1].as<std::int64_t>(),
                     .url = as_text(row[2]),
                     .form = as_state(row[3], model::parse_webhook_form),
                     .event_id = as_text(row[4]),
                     .cause = as_state(row[5], model::parse_webhook_cause),
                     .facts = as_json(row[6]),
                     .created_at = as_time(row[7]),
                     .attempts = row[8].as<int>()});
    }
    return due;
  };
  co_return co_await pool_.write_once("claim deliveries", std::move(body));
}

Task<Status> DeliveryStore::finish(std::int64_t id, DeliveryOutcome outcome) {
  auto body = [id, o = std::move(outcome)](pg::Transaction& tx) -> Status {
    std::optional<std::string> next_at;
    if (o.next_at) next_at = format_rfc3339_micros(*o.next_at);
    // A webhook that was deleted meanwhile has taken its deliveries with it.
    run_sql(tx, kFree, id, o.is_slow);
    run_sql(tx, kFinish, id, word(o.state), next_at, o.status, o.error);
    return {};
  };
  co_return co_await pool_.write("finish a delivery", std::move(body));
}

Task<Result<std::optional<WallTime>>> DeliveryStore::next_due(Receivers whose) {
  auto body = [whose](pg::Transaction& tx) -> Result<std::optional<WallTime>> {
    return as_optional_time(run_sql1(tx, kNextDue, whose == Receivers::kAll)[0]);
  };
  co_return co_await pool_.read("next delivery", std::move(body));
}

Task<Result<Paged<DeliveryRow>>> DeliveryStore::list(std::int64_t webhook, Page page) {
  auto body = [webhook, page](pg::Transaction& tx) -> Result<Paged<DeliveryRow>> {
    Paged<DeliveryRow> rows;
    rows.total = run_sql1(tx, kCount, webhook)[0].as<std::int64_t>();
    const auto offset = page_offset(page, rows.total);
    DET_TRY(offset);
    rows.offset = *offset;
    for (const auto& row : run_sql(tx, kList, webhook, page_limit(page), rows.offset)) {
      rows.items.push_back(read_delivery(row));
    }
    return rows;
  };
  co_return co_await pool_.read("list deliveries", std::move(body));
}

Task<Result<int>> DeliveryStore::forget_old(WallTime before) {
  auto body = [before](pg::Transaction& tx) -> Result<int> {
    return static_cast<int>(run_sql(tx, kForget, format_rfc3339_micros(before)).affected_rows());
  };
  co_return co_await pool_.write("forget deliveries", std::move(body));
}

}  // namespace det::store
