#include "store/listing/run_sum_store.h"

#include <algorithm>

#include "base/log.h"
#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr const char* kAskAgain =
    "the metrics of many runs are being added up for the first time: ask again in a moment";

constexpr std::chrono::milliseconds kCheap{200};

// Index trials_to_sum.
const char* const kPickEnded =
    "SELECT id, '' FROM trials WHERE summed_run <> run AND id > $1 AND state IN ('COMPLETED', 'CANCELED', 'ERROR') "
    "ORDER BY id LIMIT $2";
// With what changes when they report. Indexes series_trial_id_grp_run_names_id_key, metrics_pkey.
const char* const kPickRunning =
    "SELECT t.id, (SELECT string_agg(concat_ws(' ', s.id, s.last_steps, s.up_to, (SELECT m.steps FROM metrics m WHERE "
    "m.series_id = s.id AND m.steps <= s.last_steps ORDER BY m.steps DESC LIMIT 1)), ',' ORDER BY s.id) FROM "
    "summarised_series s WHERE s.trial_id = t.id) FROM trials t WHERE t.summed_run <> t.run AND t.id > $1 "
    "AND t.state NOT IN ('COMPLETED', 'CANCELED', 'ERROR') ORDER BY t.id LIMIT $2";
// As parts_to_keep of store/metrics/series_summary.h has it. Indexes series_trial_id_grp_run_names_id_key,
// metrics_pkey.
const char* const kLongOnes =
    "SELECT DISTINCT s.trial_id FROM summarised_series s WHERE s.trial_id = ANY($1::bigint[]) AND EXISTS ("
    "SELECT 1 FROM metrics m WHERE m.series_id = s.id AND m.steps > s.up_to AND m.steps <= s.last_steps "
    "ORDER BY m.steps OFFSET 2000 LIMIT 1)";

// One at a time in the whole cluster: two would wait for each other's rows. "det" and a 2.
const char* const kLock = "SELECT pg_advisory_xact_lock(1684370482)";
// That it was waited for must not look like sums that take too long.
const char* const kPatientLock = "SET LOCAL lock_timeout = '5s'";
const char* const kNames =
    "INSERT INTO run_metric_names (grp, name) SELECT DISTINCT s.grp, n.name FROM series s "
    "JOIN metric_names k ON k.id = s.names_id CROSS JOIN LATERAL unnest(k.names) AS n (name) "
    "WHERE s.trial_id = ANY($1::bigint[]) "
    "AND NOT EXISTS (SELECT 1 FROM run_metric_names r WHERE r.grp = s.grp AND r.name = n.name) ON CONFLICT DO NOTHING";
// The statement of series_summary.cc, for many trials.
const char* const kSums =
    "WITH visible AS MATERIALIZED (SELECT s.id, s.trial_id, s.grp, s.run, n.names, s.last_steps, s.up_to "
    "FROM summarised_series s JOIN metric_names n ON n.id = s.names_id WHERE s.trial_id = ANY($1::bigint[])), "
    "sums AS MATERIALIZED (SELECT p.trial_id, r.id AS metric_id, sum(p.count)::bigint AS count, sum(p.sum) AS sum, "
    "min(p.min) AS min, max(p.max) AS max, (array_agg(p.last ORDER BY p.last_steps DESC, p.run DESC))[1] AS last FROM ("
    "SELECT s.trial_id, s.grp, s.run, s.names[a.place] AS name, a.count, a.sum, a.min, a.max, a.last, a.last_steps "
    "FROM visible s CROSS JOIN LATERAL (SELECT v.place, count(*) AS count, sum(CASE WHEN v.value = 'NaN' THEN "
    "v.value WHEN v.value > 1e290 THEN 'Infinity' WHEN v.value < -1e290 THEN '-Infinity' ELSE v.value END) AS sum, "
    "min(v.value) AS min, "
    "max(v.value) AS max, (array_agg(v.value ORDER BY m.steps DESC))[1] AS last, max(m.steps) AS last_steps "
    "FROM metrics m CROSS JOIN LATERAL unnest(m.values) WITH ORDINALITY AS v (value, place) "
    "WHERE m.series_id = s.id AND m.steps > s.up_to AND m.steps <= s.last_steps AND v.value IS NOT NULL "
    "GROUP BY v.place) a "
    "UNION ALL "
    "SELECT s.trial_id, s.grp, s.run, s.names[k.place], k.count, k.sum, k.min, k.max, k.last, k.last_steps "
    "FROM visible s JOIN series_sums k ON k.series_id = s.id WHERE s.up_to >= 0) p "
    "JOIN run_metric_names r ON r.grp = p.grp AND r.name = p.name GROUP BY 1, 2), "
    // Of reports that a restored run made invisible nothing stays.
    "gone AS (DELETE FROM run_metrics o WHERE o.trial_id = ANY($1::bigint[]) AND NOT EXISTS (SELECT 1 FROM sums s "
    "WHERE s.trial_id = o.trial_id AND s.metric_id = o.metric_id)) "
    "INSERT INTO run_metrics AS o (trial_id, metric_id, count, sum, min, max, last, mean) "
    "SELECT trial_id, metric_id, count, sum, min, max, last, sum / count FROM sums "
    "ON CONFLICT (trial_id, metric_id) DO UPDATE SET count = excluded.count, sum = excluded.sum, min = excluded.min, "
    "max = excluded.max, last = excluded.last, mean = excluded.mean "
    "WHERE (o.count, o.sum, o.last) IS DISTINCT FROM (excluded.count, excluded.sum, excluded.last)";
// What ended just now may still have a report on its way.
const char* const kSettled =
    "UPDATE trials SET summed_run = run WHERE id = ANY($1::bigint[]) AND state IN ('COMPLETED', 'CANCELED', 'ERROR') "
    "AND end_time < now() - interval '1 minute'";
const char* const kSettleUnsummed = "UPDATE trials SET summed_run = run WHERE id = $1";

const char* const kFind =
    "SELECT m.trial_id, n.grp, n.name, m.count, m.sum, m.min, m.max, m.last FROM run_metrics m "
    "JOIN run_metric_names n ON n.id = m.metric_id WHERE m.trial_id = ANY($1::bigint[])";

bool may_pass(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kAborted;
}

}  // namespace

Task<Status> RunSumStore::refresh() {
  const auto begin = std::chrono::steady_clock::now();
  const auto turn = co_await refreshes_.wait("");
  if (begin < fresh_until_) co_return Status();
  DET_CO_TRY(co_await sum_ended(begin));
  DET_CO_TRY(co_await sum_running(begin));
  // Who has thousands of runs that report all the time sees numbers that are some seconds older, and no core that does
  // nothing else.
  const auto took = std::chrono::steady_clock::now() - begin;
  fresh_until_ = begin + (took > kCheap ? std::max<std::chrono::nanoseconds>(freshness_, 10 * took) : freshness_);
  co_return Status();
}

Task<Status> RunSumStore::sum_ended(std::chrono::steady_clock::time_point begin) {
  std::int64_t after = 0;
  for (;;) {
    const auto picked = co_await pick(kPickEnded, after);
    DET_CO_TRY(picked);
    if (picked->empty()) co_return Status();
    if (std::chrono::steady_clock::now() - begin > kPatience) {
      co_return fail(ErrorCode::kUnavailable, kAskAgain);
    }
    std::vector<std::int64_t> trials;
    for (const Picked& one : *picked) trials.push_back(one.trial);
    DET_CO_TRY(co_await sum(std::move(trials)));
    after = picked->back().trial;
  }
}

Task<Status> RunSumStore::sum_running(std::chrono::steady_clock::time_point begin) {
  for (;;) {
    const auto picked = co_await pick(kPickRunning, running_from_);
    DET_CO_TRY(picked);
    if (picked->empty()) break;
    std::vector<std::int64_t> changed;
    for (const Picked& one : *picked) {
      const std::string* const known = summed_up_to_.find(one.trial);
      if (known == nullptr || *known != one.reports) changed.push_back(one.trial);
    }
    if (!changed.empty()) DET_CO_TRY(co_await sum(std::move(changed)));
    for (const Picked& one : *picked) summed_up_to_.put(one.trial, one.reports);
    running_from_ = picked->back().trial;
    // The next time goes on from there.
    if (std::chrono::steady_clock::now() - begin > kPatience) co_return Status();
  }
  running_from_ = 0;
  co_return Status();
}

Task<Status> RunSumStore::sum(std::vector<std::int64_t> trials) {
  const auto long_ones = co_await find_long_ones(trials);
  DET_CO_TRY(long_ones);
  for (const std::int64_t id : *long_ones) DET_CO_TRY(co_await metrics_.summary(model::TrialId{id}));
  const Status kept = co_await keep(trials);
  if (kept) {
    at_once_ = std::min(at_once_ * 2, kAtOnce);
    co_return Status();
  }
  if (may_pass(kept.error())) co_return kept;
  // Of fewer the next statement has the time.
  if (kept.error().code == ErrorCode::kDeadlineExceeded && trials.size() > 1) {
    at_once_ = static_cast<int>(trials.size() / 2);
    co_return fail(ErrorCode::kUnavailable, kAskAgain);
  }
  // One of them has sums that are no numbers any more: each on its own.
  for (const std::int64_t id : trials) {
    const Status alone = trials.size() == 1 ? kept : co_await keep({id});
    if (alone) continue;
    if (may_pass(alone.error())) co_return alone;
    DET_CO_TRY(co_await leave_out(id, alone.error().message));
  }
  co_return Status();
}

Task<Status> RunSumStore::leave_out(std::int64_t trial, std::string why) {
  Logger("store").warn("metrics of a run could not be added up", {{"trial", trial}, {"error", why}});
  auto settle = [trial](pg::Transaction& tx) -> Status {
    run_sql(tx, kSettleUnsummed, trial);
    return {};
  };
  co_return co_await pool_.write("leave out a run's sums", std::move(settle));
}

Task<Result<std::vector<RunSumStore::Picked>>> RunSumStore::pick(const char* statement, std::int64_t after) {
  auto body = [statement, after, most = at_once_](pg::Transaction& tx) -> Result<std::vector<Picked>> {
    std::vector<Picked> picked;
    for (const auto& row : run_sql(tx, statement, after, most)) {
      picked.push_back({.trial = row[0].as<std::int64_t>(), .reports = as_text(row[1])});
    }
    return picked;
  };
  co_return co_await pool_.read("pick runs to sum", std::move(body));
}

// Those with series of which MetricStore keeps sums of its own.
Task<Result<std::vector<std::int64_t>>> RunSumStore::find_long_ones(std::vector<std::int64_t> trials) {
  auto body = [ids = int_array(trials)](pg::Transaction& tx) -> Result<std::vector<std::int64_t>> {
    std::vector<std::int64_t> found;
    for (const auto& row : run_sql(tx, kLongOnes, ids)) found.push_back(row[0].as<std::int64_t>());
    return found;
  };
  co_return co_await pool_.read("find runs of many reports", std::move(body));
}

Task<Status> RunSumStore::keep(std::vector<std::int64_t> trials) {
  auto body = [ids = int_array(trials)](pg::Transaction& tx) -> Status {
    run_sql(tx, kPatientLock);
    run_sql(tx, kLock);
    for (const char* step : {kNames, kSums, kSettled}) run_sql(tx, step, ids);
    return {};
  };
  co_return co_await pool_.write("sum runs", std::move(body));
}

Task<Result<std::map<model::TrialId, MetricSummaries>>> RunSumStore::find(std::vector<std::int64_t> trials) {
  using Found = std::map<model::TrialId, MetricSummaries>;
  auto body = [ids = int_array(trials)](pg::Transaction& tx) -> Result<Found> {
    Found found;
    for (const auto& row : run_sql(tx, kFind, ids)) {
      found[model::TrialId{row[0].as<std::int64_t>()}][as_text(row[1])][as_text(row[2])] = {
          .count = row[3].as<std::int64_t>(),
          .sum = row[4].as<double>(),
          .min = row[5].as<double>(),
          .max = row[6].as<double>(),
          .last = row[7].as<double>()};
    }
    return found;
  };
  co_return co_await pool_.read("sums of runs", std::move(body));
}

}  // namespace det::store
