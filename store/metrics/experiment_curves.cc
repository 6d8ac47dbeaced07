#include "store/metrics/experiment_curves.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "store/metrics/metric_table.h"
#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::int64_t kMostSeries = 5'000;

const char* const kTrials = "SELECT count(*) FROM trials WHERE experiment_id = $1";

// The series of the newest trials. Indexes: trials_experiment, series_trial_id_grp_run_names_id_key.
const char* const kSeries =
    "SELECT s.trial_id, s.id, least(s.last_steps, $6::int), array_position(n.names, $3::text) "
    "FROM (SELECT id FROM trials WHERE experiment_id = $1 ORDER BY id DESC LIMIT $4) t "
    "JOIN visible_series s ON s.trial_id = t.id JOIN metric_names n ON n.id = s.names_id "
    "WHERE s.grp = $2 AND n.names @> ARRAY[$3::text] ORDER BY s.trial_id, s.run, s.id LIMIT $5";

// The first report at or behind each of $6 places of each series: one look into metrics_pkey each, however many
// reports lie between them.
const char* const kReports =
    "SELECT c.series, p.steps, date_part('epoch', p.time), p.value "
    "FROM unnest($1::int[], $2::int[], $3::int[]) AS c (series, last, place), "
    "LATERAL (SELECT (SELECT min(steps) FROM metrics WHERE series_id = c.series AND steps >= $4::int AND steps <= "
    "c.last) "
    "AS low, (SELECT max(steps) FROM metrics WHERE series_id = c.series AND steps >= $4::int AND steps <= c.last) AS "
    "high "
    "OFFSET 0) r, "
    "LATERAL (SELECT generate_series(r.low, r.high, greatest(1, (r.high - r.low) / $5::int)) AS steps UNION SELECT "
    "r.high) "
    "g, "
    "LATERAL (SELECT m.steps, m.time, m.values[c.place] AS value FROM metrics m WHERE m.series_id = c.series "
    "AND m.steps >= g.steps AND m.steps <= c.last ORDER BY m.steps LIMIT 1) p";

template <typename Number>
Number number(const pqxx::field& field, Number otherwise) {
  Number value = otherwise;
  std::from_chars(field.c_str(), field.c_str() + field.size(), value);
  return value;
}

struct Report {
  std::size_t series = 0;  // place in the list
  std::int32_t steps = 0;
  double seconds = 0;
  double value = 0;
};

// The series by place, each with its trial; ascending trials, then runs.
struct SeriesList {
  std::vector<std::int64_t> trials;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> last_steps;
  std::vector<std::int64_t> places;  // of the metric in the reports' values
};

Result<SeriesList> read_series(pg::Transaction& tx, const ExperimentCurvesQuery& query) {
  SeriesList list;
  for (const auto& row : run_sql(tx, kSeries, query.experiment.value, query.group, query.name, query.most_trials,
                                 kMostSeries + 1, query.to_steps)) {
    list.trials.push_back(row[0].as<std::int64_t>());
    list.ids.push_back(row[1].as<std::int64_t>());
    list.last_steps.push_back(row[2].as<std::int64_t>());
    list.places.push_back(row[3].as<std::int64_t>());
  }
  if (std::ssize(list.ids) > kMostSeries) {
    return fail(ErrorCode::kResourceExhausted, "the trials have more than " + std::to_string(kMostSeries) +
                                                   " series of '" + query.group + "." + query.name +
                                                   "': ask for fewer trials");
  }
  return list;
}

// By trial, steps and run.
std::vector<Report> read_reports(pg::Transaction& tx, const ExperimentCurvesQuery& query, const SeriesList& list) {
  const std::int64_t each =
      std::clamp(query.points / std::max<std::int64_t>(1, std::ssize(list.ids)), kFewestOfSeries, kMostOfSeries);
  std::unordered_map<std::int32_t, std::size_t> places;
  for (std::size_t i = 0; i < list.ids.size(); ++i) places.emplace(static_cast<std::int32_t>(list.ids[i]), i);
  std::vector<Report> reports;
  for (const auto& row : run_sql(tx, kReports, int_array(list.ids), int_array(list.last_steps), int_array(list.places),
                                 query.from_steps, each)) {
    reports.push_back({.series = places.at(number<std::int32_t>(row[0], 0)),
                       .steps = number<std::int32_t>(row[1], 0),
                       .seconds = number<double>(row[2], 0),
                       .value = number<double>(row[3], absent())});
  }
  std::ranges::sort(reports, {}, [&list](const Report& report) {
    return std::tuple(list.trials[report.series], report.steps, report.series);
  });
  // Two places can have the same report behind them.
  const auto twice =
      std::ranges::unique(reports, {}, [](const Report& one) { return std::pair(one.series, one.steps); });
  reports.erase(twice.begin(), twice.end());
  return reports;
}

}  // namespace

Result<ExperimentCurves> read_experiment_curves(pg::Transaction& tx, const ExperimentCurvesQuery& query) {
  ExperimentCurves found{.trials = run_sql1(tx, kTrials, query.experiment.value)[0].as<std::int64_t>()};
  const auto list = read_series(tx, query);
  DET_TRY(list);
  if (list->ids.empty()) return found;
  for (const Report& report : read_reports(tx, query, *list)) {
    if (is_absent(report.value)) continue;
    const model::TrialId trial{list->trials[report.series]};
    if (found.curves.empty() || found.curves.back().trial != trial) found.curves.push_back({.trial = trial});
    TrialCurve& curve = found.curves.back();
    curve.steps.push_back(report.steps);
    curve.seconds.push_back(report.seconds);
    curve.values.push_back(report.value);
  }
  return found;
}

}  // namespace det::store
