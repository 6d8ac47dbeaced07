#include "store/usage/usage_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

// Of `x`, what lies in [$1, $2), in seconds.
const char* const kSeconds =
    "greatest(0, extract(epoch FROM least(coalesce(x.ended_at, now()), $2::timestamptz) - greatest(x.started_at, "
    "$1::timestamptz)))::float8";

// Indexes allocation_usage_started, and allocation_usage_ended where there is much that ended before. What has not
// ended has not until now.
const char* const kPage =
    " FROM allocation_usage x LEFT JOIN users u ON u.id = x.owner_id WHERE x.started_at < $2::timestamptz "
    "AND coalesce(x.ended_at, 'infinity') >= $1::timestamptz AND (x.ended_at IS NOT NULL OR now() >= $1::timestamptz) "
    "AND (x.started_at, x.allocation_id) > ($3::timestamptz, $4) "
    "ORDER BY x.started_at, x.allocation_id LIMIT $5";

// One pass over the runs, each cut at the borders of its periods. $1 and $2 are such borders, $3 is a day or a month.
const char* const kSums =
    "WITH pieces AS MATERIALIZED (SELECT p.start, x.slots * greatest(0, extract(epoch FROM least(coalesce(x.ended_at, "
    "now()), (p.start + $3::interval) AT TIME ZONE 'UTC') - greatest(x.started_at, p.start AT TIME ZONE "
    "'UTC')))::float8 "
    "AS seconds, coalesce(u.username, x.username) AS username, x.labels, x.resource_pool FROM allocation_usage x "
    "LEFT JOIN users u ON u.id = x.owner_id CROSS JOIN LATERAL generate_series("
    "date_trunc($4, greatest(x.started_at, $1::timestamptz) AT TIME ZONE 'UTC'), "
    "least(coalesce(x.ended_at, now()), $2::timestamptz - interval '1 second') AT TIME ZONE 'UTC', $3::interval) "
    "p(start) "
    "WHERE x.started_at < $2::timestamptz AND coalesce(x.ended_at, 'infinity') > $1::timestamptz "
    "AND (x.ended_at IS NOT NULL OR now() > $1::timestamptz) AND x.slots > 0), "
    "keyed AS (SELECT start, 0 AS kind, '' AS key, seconds FROM pieces UNION ALL "
    "SELECT start, 1, username, seconds FROM pieces UNION ALL "
    "SELECT start, 2, label, seconds FROM pieces, jsonb_array_elements_text(labels) label UNION ALL "
    "SELECT start, 3, resource_pool, seconds FROM pieces) "
    "SELECT to_char(start, 'YYYY-MM-DD'), kind, key, sum(seconds) FROM keyed GROUP BY start, kind, key "
    "HAVING sum(seconds) > 0 ORDER BY start, kind, key";

// A run is queued from when its row is made. The rows are looked up one by one: a join reads all of allocations,
// however few are asked for. Indexes allocation_usage_started, allocations_pkey.
const char* const kQueueTimes =
    "SELECT x.resource_pool, to_char(x.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, "
    "avg(greatest(0, extract(epoch FROM x.started_at - x.queued_at)))::float8 FROM (SELECT u.resource_pool, "
    "u.started_at, (SELECT a.created_at FROM allocations a WHERE a.id = u.allocation_id) AS queued_at "
    "FROM allocation_usage u WHERE u.started_at >= $1::timestamptz ORDER BY u.started_at DESC LIMIT $2) x "
    "WHERE x.queued_at IS NOT NULL GROUP BY x.resource_pool, day ORDER BY day, x.resource_pool";

UsageRow read_usage(const pqxx::row& row) {
  return {.allocation_id = as_text(row[0]),
          .task_type = as_text(row[1]),
          .owner = {row[2].as<std::int64_t>()},
          .username = as_text(row[3]),
          .workspace = as_text(row[4]),
          .experiment = as_optional_id<model::ExperimentId>(row[5]),
          .labels = as_json(row[6]).get<std::vector<std::string>>(),
          .resource_pool = as_text(row[7]),
          .slots = row[8].as<int>(),
          .started = as_time(row[9]),
          .ended = as_optional_time(row[10]),
          .seconds = row[11].as<double>()};
}

}  // namespace

Task<Result<std::vector<UsageRow>>> UsageStore::page(UsageRange range, std::optional<UsageRow> after, int limit) {
  const std::string start = after ? format_rfc3339_micros(after->started) : "-infinity";
  auto body = [range, start, id = after ? after->allocation_id : "",
               limit](pg::Transaction& tx) -> Result<std::vector<UsageRow>> {
    const std::string select =
        "SELECT x.allocation_id, x.task_type, x.owner_id, coalesce(u.username, x.username), x.workspace_name, "
        "x.experiment_id, x.labels, x.resource_pool, x.slots, x.started_at, x.ended_at, " +
        std::string(kSeconds) + kPage;
    std::vector<UsageRow> rows;
    for (const auto& row :
         run_sql(tx, select, format_rfc3339_micros(range.begin), format_rfc3339_micros(range.end), start, id, limit)) {
      rows.push_back(read_usage(row));
    }
    return rows;
  };
  co_return co_await pool_.read("list usage", std::move(body));
}

Task<Result<std::vector<UsageSum>>> UsageStore::sums(UsageRange range, UsagePeriod period) {
  auto body = [range, period](pg::Transaction& tx) -> Result<std::vector<UsageSum>> {
    const bool is_daily = period == UsagePeriod::kDay;
    std::vector<UsageSum> sums;
    for (const auto& row : run_sql(tx, kSums, format_rfc3339_micros(range.begin), format_rfc3339_micros(range.end),
                                   is_daily ? "1 day" : "1 month", is_daily ? "day" : "month")) {
      sums.push_back({.period_start = as_text(row[0]),
                      .kind = static_cast<UsageKind>(row[1].as<int>()),
                      .key = as_text(row[2]),
                      .seconds = row[3].as<double>()});
    }
    return sums;
  };
  co_return co_await pool_.read("add up usage", std::move(body));
}

Task<Result<std::vector<QueueTime>>> UsageStore::queue_times(WallTime since) {
  auto body = [since](pg::Transaction& tx) -> Result<std::vector<QueueTime>> {
    std::vector<QueueTime> times;
    for (const auto& row : run_sql(tx, kQueueTimes, format_rfc3339_micros(since), kMostQueued)) {
      times.push_back({.resource_pool = as_text(row[0]), .day = as_text(row[1]), .seconds = row[2].as<double>()});
    }
    return times;
  };
  co_return co_await pool_.read("average queue times", std::move(body));
}

}  // namespace det::store
