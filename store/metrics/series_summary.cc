#include "store/metrics/series_summary.h"

#include "store/metrics/series_outline.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Indexes of all: series_trial_id_grp_run_names_id_key, metrics_pkey, series_summaries_pkey, series_sums_pkey.
// Each series is read by a subquery of its own, so that what is kept of it bounds what is read: as one join the planner
// reads all its reports and throws them away.
// PostgreSQL fails where a sum of numbers is none any more, and code reports the largest double for "none yet": numbers
// that large count as infinite in sums.
const char* const kSummary =
    "WITH visible AS MATERIALIZED (SELECT s.id, s.grp, s.run, n.names, s.last_steps, s.up_to "
    "FROM outlined_series s JOIN metric_names n ON n.id = s.names_id WHERE s.trial_id = $1) "
    "SELECT grp, name, sum(count), sum(sum), min(min), max(max), "
    "(array_agg(last ORDER BY last_steps DESC, run DESC))[1] FROM ("
    "SELECT s.grp, s.run, s.names[a.place] AS name, a.count, a.sum, a.min, a.max, a.last, a.last_steps FROM visible s "
    "CROSS JOIN LATERAL (SELECT v.place, count(*) AS count, sum(CASE WHEN v.value = 'NaN' THEN v.value "
    "WHEN v.value > 1e290 THEN 'Infinity' WHEN v.value < -1e290 THEN '-Infinity' ELSE v.value END) AS sum, "
    "min(v.value) AS min, max(v.value) AS max, (array_agg(v.value ORDER BY m.steps DESC))[1] AS last, max(m.steps) AS "
    "last_steps "
    "FROM metrics m CROSS JOIN LATERAL unnest(m.values) WITH ORDINALITY AS v (value, place) "
    "WHERE m.series_id = s.id AND m.steps > s.up_to AND m.steps <= s.last_steps AND v.value IS NOT NULL "
    "GROUP BY v.place) a "
    "UNION ALL "
    "SELECT s.grp, s.run, s.names[k.place], k.count, k.sum, k.min, k.max, k.last, k.last_steps "
    "FROM visible s JOIN series_sums k ON k.series_id = s.id WHERE s.up_to >= 0) parts GROUP BY 1, 2";

// $2: so many reports that are not kept are cheap; $3: so many of the newest stay out; $4: so many at a time.
const char* const kParts =
    "SELECT s.id, s.up_to, least(newest.steps, chunk.steps), s.last_steps FROM outlined_series s "
    "CROSS JOIN LATERAL (SELECT 1 FROM metrics m WHERE m.series_id = s.id AND m.steps > s.up_to "
    "AND m.steps <= s.last_steps ORDER BY m.steps OFFSET $2 LIMIT 1) many "
    "CROSS JOIN LATERAL (SELECT m.steps FROM metrics m WHERE m.series_id = s.id AND m.steps > s.up_to "
    "AND m.steps <= s.last_steps ORDER BY m.steps DESC OFFSET $3 LIMIT 1) newest "
    "LEFT JOIN LATERAL (SELECT m.steps FROM metrics m WHERE m.series_id = s.id AND m.steps > s.up_to "
    "AND m.steps <= s.last_steps ORDER BY m.steps OFFSET $4 LIMIT 1) chunk ON true WHERE s.trial_id = $1 "
    "AND ($5 = '' OR s.grp = $5)";
constexpr int kNewest = 500;
constexpr int kChunk = 10'000;

// One of several series of a group and run is read whole: a report with two sets of names counts once.
const char* const kReports =
    "WITH visible AS MATERIALIZED (SELECT id, grp, run, last_steps, up_to, reports, "
    "count(*) OVER (PARTITION BY grp, run) AS sets FROM outlined_series WHERE trial_id = $1 "
    "AND grp = ANY($2::text[])) "
    "SELECT (SELECT coalesce(sum(s.reports + since.n), 0) FROM visible s CROSS JOIN LATERAL (SELECT count(*) AS n "
    "FROM metrics m WHERE m.series_id = s.id AND m.steps > s.up_to AND m.steps <= s.last_steps) since "
    "WHERE s.sets = 1) + (SELECT count(*) FROM (SELECT DISTINCT s.grp, s.run, m.steps FROM visible s "
    "JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps WHERE s.sets > 1) together)";

const char* const kForget =
    "DELETE FROM series_summaries WHERE series_id = $1 AND (up_to > $2 OR counted_to <> up_to "
    "OR outlined_to <> up_to)";
const char* const kClaim =
    "INSERT INTO series_summaries (series_id, up_to, claimed) VALUES ($1, -1, $2) "
    "ON CONFLICT (series_id) DO UPDATE SET claimed = greatest(series_summaries.claimed, EXCLUDED.claimed)";

const char* const kLockClaim =
    "SELECT 1 FROM series_summaries WHERE series_id = $1 AND up_to = $2 AND counted_to = $2 AND outlined_to = $2 "
    "AND claimed >= $3 FOR UPDATE";
const char* const kKeep =
    "INSERT INTO series_sums AS k (series_id, place, count, sum, min, max, last, last_steps) "
    "SELECT $1, v.place, count(*), sum(CASE WHEN v.value = 'NaN' THEN v.value WHEN v.value > 1e290 THEN 'Infinity' "
    "WHEN v.value < -1e290 THEN '-Infinity' ELSE v.value END), min(v.value), max(v.value), "
    "(array_agg(v.value ORDER BY m.steps DESC))[1], max(m.steps) FROM metrics m "
    "CROSS JOIN LATERAL unnest(m.values) WITH ORDINALITY AS v (value, place) "
    "WHERE m.series_id = $1 AND m.steps > $2 AND m.steps <= $3 AND v.value IS NOT NULL GROUP BY v.place "
    "ON CONFLICT (series_id, place) DO UPDATE SET count = k.count + EXCLUDED.count, sum = k.sum + EXCLUDED.sum, "
    "min = least(k.min, EXCLUDED.min), max = greatest(k.max, EXCLUDED.max), last = EXCLUDED.last, "
    "last_steps = EXCLUDED.last_steps";
const char* const kKept =
    "UPDATE series_summaries SET up_to = $3, counted_to = $3, outlined_to = $3, reports = reports + (SELECT count(*) "
    "FROM metrics m "
    "WHERE m.series_id = $1 AND m.steps > $2 AND m.steps <= $3) WHERE series_id = $1";

// All of it is derived: a crash may lose it, in the order of the log.
const char* const kNeedNotLast = "SET LOCAL synchronous_commit = off";
// Reports wait behind a claim that waits. Whoever does not get it soon adds up everything himself.
const char* const kPatience = "SET LOCAL lock_timeout = '200ms'";
const char* const kNoReportOnItsWay = "LOCK TABLE series_summaries IN SHARE ROW EXCLUSIVE MODE";

}  // namespace

MetricSummaries read_summaries(pg::Transaction& tx, model::TrialId trial) {
  MetricSummaries summaries;
  for (const auto& row : run_sql(tx, kSummary, trial.value)) {
    summaries[as_text(row[0])][as_text(row[1])] = {.count = row[2].as<std::int64_t>(),
                                                   .sum = row[3].as<double>(),
                                                   .min = row[4].as<double>(),
                                                   .max = row[5].as<double>(),
                                                   .last = row[6].as<double>()};
  }
  return summaries;
}

std::int64_t count_reports(pg::Transaction& tx, model::TrialId trial, const std::vector<std::string>& groups) {
  return run_sql1(tx, kReports, trial.value, text_array(groups))[0].as<std::int64_t>();
}

std::vector<SummaryPart> parts_to_keep(pg::Transaction& tx, model::TrialId trial, const std::string& group) {
  std::vector<SummaryPart> parts;
  for (const auto& row : run_sql(tx, kParts, trial.value, kCheapReports, kNewest, kChunk, group)) {
    parts.push_back({.series = row[0].as<std::int32_t>(),
                     .after = row[1].as<std::int32_t>(),
                     .up_to = row[2].as<std::int32_t>(),
                     .visible_up_to = row[3].as<std::int32_t>()});
  }
  return parts;
}

void claim_parts(pg::Transaction& tx, const std::vector<SummaryPart>& parts) {
  tx.exec(kNeedNotLast);
  tx.exec(kPatience);
  tx.exec(kNoReportOnItsWay);
  for (const SummaryPart& part : parts) {
    run_sql(tx, kForget, part.series, part.visible_up_to);
    run_sql(tx, kClaim, part.series, part.up_to);
  }
}

void keep_part(pg::Transaction& tx, const SummaryPart& part) {
  tx.exec(kNeedNotLast);
  // Not there any more: a report came late, or somebody else was first.
  if (run_sql(tx, kLockClaim, part.series, part.after, part.up_to).empty()) return;
  run_sql(tx, kKeep, part.series, part.after, part.up_to);
  keep_outlines(tx, part.series, part.after, part.up_to);
  run_sql(tx, kKept, part.series, part.after, part.up_to);
}

}  // namespace det::store
