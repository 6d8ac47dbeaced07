#include "store/metrics/metric_statements.h"

namespace det::store {
namespace {

const char* const kRun = "SELECT run FROM trials WHERE id = $1::bigint";

// Two statements, not one: a row that another replica inserts at the same moment is only visible to the next statement.
const char* const kMakeNames =
    "INSERT INTO metric_names (hash, names) VALUES ($1::bytea, $2::text[]) ON CONFLICT (hash) DO NOTHING";
const char* const kMakeSeries =
    "INSERT INTO series (trial_id, run, grp, names_id) SELECT t.id, $2::int, $3::text, n.id "
    "FROM trials t, metric_names n WHERE t.id = $1::bigint AND n.hash = $4::bytea ON CONFLICT DO NOTHING";
// With whether the group has others.
const char* const kFindSeries =
    "SELECT s.id, EXISTS (SELECT 1 FROM series o WHERE o.trial_id = s.trial_id AND o.run = s.run AND o.grp = s.grp AND "
    "o.id <> s.id) FROM series s JOIN metric_names n ON n.id = s.names_id "
    "WHERE s.trial_id = $1::bigint AND s.run = $2::int AND s.grp = $3::text AND n.hash = $4::bytea";

// What other series of the same run and group have at these steps. Of a program that names its metrics anew in each
// report only the first 64 are looked at: all others share this connection. Indexes
// series_trial_id_grp_run_names_id_key, metrics_pkey.
const char* const kOfOthers =
    "SELECT r.place - 1, to_json(n.names), to_json(m.values::text[]), m.extra -> 'avg' "
    "FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS r (series, steps, place) JOIN series s ON s.id = r.series "
    "CROSS JOIN LATERAL (SELECT o.id, o.names_id FROM series o WHERE o.trial_id = s.trial_id AND o.run = s.run AND "
    "o.grp = s.grp AND o.id <> s.id ORDER BY o.id LIMIT 64) o "
    "JOIN metrics m ON m.series_id = o.id AND m.steps = r.steps JOIN metric_names n ON n.id = o.names_id";
// What they have themselves.
const char* const kKept =
    "SELECT r.place - 1, to_json(n.names), to_json(m.values::text[]), m.extra -> 'avg' "
    "FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS r (series, steps, place) "
    "JOIN metrics m ON m.series_id = r.series AND m.steps = r.steps JOIN series s ON s.id = r.series "
    "JOIN metric_names n ON n.id = s.names_id";

// What is kept of a series (store/metrics/series_summary.h) goes when a report comes late for it. The lock that this
// takes on series_summaries is what claims wait for, so it stands here even where nothing is kept.
const char* const kForgetSums =
    "WITH forgotten AS (DELETE FROM series_summaries u USING unnest($2::int[], $3::int[]) AS late (series, steps) "
    "WHERE u.series_id = ANY($2::int[]) AND u.series_id = late.series AND u.claimed >= late.steps)";

// One report that no search waits for, which is what a program that reports by itself sends: the same without arrays,
// and with four fifths of the CPU. It forgets, and locks, as kForgetSums does. $5 is empty where there is no extra.
const char* const kInsertOne =
    "WITH forgotten AS (DELETE FROM series_summaries WHERE series_id = $2::int AND claimed >= $3::int) "
    "INSERT INTO metrics (time, series_id, steps, values, extra) "
    "VALUES ($1::timestamptz, $2::int, $3::int, $4::float8[], nullif($5::text, '')::jsonb) "
    "ON CONFLICT (series_id, steps) DO NOTHING";

// A report that is there already stays as it is.
const char* const kInsert =
    "INSERT INTO metrics (time, series_id, steps, values, extra) "
    "SELECT r.time, r.series, r.steps, ($4::float8[])[r.o + 1 : r.o + r.n], r.extra::jsonb "
    "FROM unnest($1::timestamptz[], $2::int[], $3::int[], $5::int[], $6::int[], $7::text[]) "
    "AS r (time, series, steps, o, n, extra) ON CONFLICT (series_id, steps) DO NOTHING";

// SearcherInputs counts only with a report that was inserted, once per report.
const char* const kAddInput =
    ", input AS (SELECT DISTINCT ON (w.series, w.steps) w.* FROM unnest($8::bigint[], $9::bigint[], $10::int[], "
    "$11::int[], "
    "$12::float8[], $13::float8[], $14::text[]) WITH ORDINALITY "
    "AS w (experiment, trial, series, steps, metric, sign, event, place) "
    "JOIN inserted i ON i.series_id = w.series AND i.steps = w.steps ORDER BY w.series, w.steps, w.place), "
    "inbox AS (INSERT INTO searcher_inbox (experiment_id, event) "
    "SELECT experiment, event::jsonb FROM input WHERE event <> 'null' ORDER BY place), "
    "best AS (SELECT DISTINCT ON (trial) trial, series, steps, metric, metric * sign AS rank FROM input ORDER BY "
    "trial, rank, "
    "steps), "
    // A program that was silent for long may go on with a run that is over: what it reports shows nowhere.
    "better AS (UPDATE trials t SET best_steps = b.steps, best_metric = b.metric, best_rank = b.rank FROM best b "
    "JOIN series s ON s.id = b.series WHERE t.id = b.trial AND s.run = t.run AND (t.best_rank IS NULL OR b.rank < "
    "t.best_rank)), "
    "told AS (SELECT string_agg(DISTINCT experiment::text, ' ') AS ids FROM input WHERE event <> 'null') "
    "SELECT (SELECT count(*) FROM inserted), (SELECT pg_notify('det_searcher', CASE WHEN length(ids) < 7900 THEN ids "
    "ELSE '' END) FROM told WHERE ids IS NOT NULL)";

const char* const kInsertByTime =
    "INSERT INTO metrics_by_time (time, series_id, values, extra) "
    "SELECT r.time, r.series, ($3::float8[])[r.o + 1 : r.o + r.n], r.extra::jsonb "
    "FROM unnest($1::timestamptz[], $2::int[], $4::int[], $5::int[], $6::text[]) AS r (time, series, o, n, extra) "
    "ON CONFLICT (series_id, time) DO NOTHING";

}  // namespace

std::vector<std::pair<std::string, std::string>> metric_statements() {
  const std::string forget(kForgetSums);
  const std::string inserted = forget + ", inserted AS (" + kInsert + " RETURNING series_id, steps)";
  return {{"run", kRun},
          {"make_names", kMakeNames},
          {"make_series", kMakeSeries},
          {"find_series", kFindSeries},
          {"of_others", kOfOthers},
          {"kept", kKept},
          {"insert_one", kInsertOne},
          {"insert", inserted + " SELECT count(*) FROM inserted"},
          {"insert_with_input", inserted + kAddInput},
          {"insert_by_time", kInsertByTime}};
}

}  // namespace det::store
