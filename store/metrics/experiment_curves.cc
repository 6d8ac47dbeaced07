#include "store/metrics/experiment_curves.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "model/metrics/downsample.h"
#include "store/metrics/metric_table.h"
#include "store/metrics/series_outline.h"
#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::int64_t kMostSeries = 5'000;
// Points of outlines that are read for one answer, as if each block showed two; of the other series reports are read.
constexpr std::int64_t kMostOutlined = 200'000;

const char* const kTrials = "SELECT count(*) FROM trials WHERE experiment_id = $1";

// The series of the newest trials. Indexes: trials_experiment, series_trial_id_grp_run_names_id_key,
// series_summaries_pkey.
const char* const kSeries =
    "SELECT s.trial_id, s.id, least(s.last_steps, $6::int), array_position(n.names, $3::text), s.up_to, s.reports "
    "FROM (SELECT id FROM trials WHERE experiment_id = $1 ORDER BY id DESC LIMIT $4) t "
    "JOIN outlined_series s ON s.trial_id = t.id JOIN metric_names n ON n.id = s.names_id "
    "WHERE s.grp = $2 AND n.names @> ARRAY[$3::text] ORDER BY s.trial_id, s.run, s.id LIMIT $5";

// The first report at or behind each of $6 places of each series, and the last one. Behind an outline, which begins
// with the first report, places are as far from each other as if there were none, and so is the first one from its end:
// of all series that is at about the same steps, where two reports in a row would look as if something had happened.
// Where reports are few (to count that far costs little) all are read and the first of each stride is kept; else each
// place is one look into metrics_pkey, however many reports lie between two.
const char* const kReports =
    "WITH wanted AS MATERIALIZED (SELECT c.series, c.place, r.high, w.stride, f.start, "
    "(SELECT count(*) FROM (SELECT FROM metrics WHERE series_id = c.series AND steps >= f.start AND steps <= r.high "
    "LIMIT 4 * $6::int + 1) k) <= 4 * $6::int AS is_few "
    "FROM unnest($1::int[], $2::int[], $3::int[], $4::int[]) AS c (series, first, last, place), "
    "LATERAL (SELECT (SELECT min(steps) FROM metrics WHERE series_id = c.series AND steps >= c.first AND steps <= "
    "c.last) AS low, "
    "(SELECT max(steps) FROM metrics WHERE series_id = c.series AND steps >= c.first AND steps <= c.last) AS high "
    "OFFSET 0) r, "
    "LATERAL (SELECT c.first > $5::int AS is_behind, "
    "greatest(1, (r.high - CASE WHEN c.first > $5::int THEN 0 ELSE r.low END) / $6::int) AS stride) w, "
    "LATERAL (SELECT least(r.low::bigint + CASE WHEN w.is_behind THEN w.stride ELSE 0 END, r.high)::int AS start) f) "
    "SELECT w.series, p.steps, date_part('epoch', p.time), p.values[w.place] FROM wanted w, "
    "LATERAL (SELECT m.steps, m.time, m.values, (m.steps - w.start) / w.stride > "
    "lag((m.steps - w.start) / w.stride, 1, -1) OVER (ORDER BY m.steps) AS is_first FROM metrics m "
    "WHERE m.series_id = w.series AND m.steps >= w.start AND m.steps <= w.high) p "
    "WHERE w.is_few AND (p.is_first OR p.steps = w.high) "
    "UNION ALL SELECT w.series, p.steps, date_part('epoch', p.time), p.value FROM wanted w, "
    "LATERAL (SELECT generate_series(w.start, w.high, w.stride) AS steps UNION SELECT w.high) g, "
    "LATERAL (SELECT m.steps, m.time, m.values[w.place] AS value FROM metrics m WHERE m.series_id = w.series "
    "AND m.steps >= g.steps AND m.steps <= w.high ORDER BY m.steps LIMIT 1) p WHERE NOT w.is_few";

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
  std::vector<std::int64_t> places;       // of the metric in the reports' values
  std::vector<std::int64_t> first_steps;  // from which on reports are still to be read
  std::vector<std::int64_t> outlined_to;  // -1: there is no outline
  std::vector<std::int64_t> outlined;     // reports
};

Result<SeriesList> read_series(pg::Transaction& tx, const ExperimentCurvesQuery& query) {
  SeriesList list;
  for (const auto& row : run_sql(tx, kSeries, query.experiment.value, query.group, query.name, query.most_trials,
                                 kMostSeries + 1, query.to_steps)) {
    list.trials.push_back(row[0].as<std::int64_t>());
    list.ids.push_back(row[1].as<std::int64_t>());
    list.last_steps.push_back(row[2].as<std::int64_t>());
    list.places.push_back(row[3].as<std::int64_t>());
    list.first_steps.push_back(query.from_steps);
    list.outlined_to.push_back(row[4].as<std::int64_t>());
    list.outlined.push_back(row[5].as<std::int64_t>());
  }
  if (std::ssize(list.ids) > kMostSeries) {
    return fail(ErrorCode::kResourceExhausted, "the trials have more than " + std::to_string(kMostSeries) +
                                                   " series of '" + query.group + "." + query.name +
                                                   "': ask for fewer trials");
  }
  return list;
}

// The coarsest outline that still shows `each` points, as if each block showed two; 0: none does.
std::int64_t fitting_block(std::int64_t reports, std::int64_t each) {
  for (const std::int64_t block : kOutlineBlocks | std::views::reverse) {
    if (reports * 2 / block >= each) return block;
  }
  return 0;
}

// What outlines show of series that are wanted whole; the rest of those is still to be read.
std::vector<Report> read_from_outlines(pg::Transaction& tx, SeriesList& list, std::int64_t each) {
  std::vector<OutlineWish> wishes;
  std::vector<std::size_t> places;
  std::int64_t left = kMostOutlined;
  for (std::size_t i = 0; i < list.ids.size(); ++i) {
    const std::int64_t block = fitting_block(list.outlined[i], each);
    if (list.outlined_to[i] < 0 || block == 0) continue;
    left -= list.outlined[i] * 2 / block;
    if (left < 0) break;
    wishes.push_back({.series = list.ids[i], .block = block, .place = list.places[i], .up_to = list.outlined_to[i]});
    places.push_back(i);
  }
  const auto outlines = read_outlines(tx, wishes);
  std::vector<Report> reports;
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    if (outlines[i].empty()) continue;
    list.first_steps[places[i]] = list.outlined_to[places[i]] + 1;
    std::vector<double> x;
    std::vector<double> y;
    for (const OutlinePoint& point : outlines[i]) {
      x.push_back(point.steps);
      y.push_back(point.value);
    }
    for (const std::size_t shown : model::pick_points(x, y, static_cast<std::size_t>(each))) {
      const OutlinePoint& point = outlines[i][shown];
      reports.push_back({.series = places[i], .steps = point.steps, .seconds = point.seconds, .value = point.value});
    }
  }
  return reports;
}

// By trial, steps and run.
std::vector<Report> read_reports(pg::Transaction& tx, const ExperimentCurvesQuery& query, SeriesList& list) {
  const std::int64_t each =
      std::clamp(query.points / std::max<std::int64_t>(1, std::ssize(list.ids)), kFewestOfSeries, kMostOfSeries);
  std::unordered_map<std::int32_t, std::size_t> places;
  for (std::size_t i = 0; i < list.ids.size(); ++i) places.emplace(static_cast<std::int32_t>(list.ids[i]), i);
  const bool is_whole = query.from_steps <= 0 && query.to_steps == std::numeric_limits<std::int32_t>::max();
  std::vector<Report> reports = is_whole ? read_from_outlines(tx, list, each) : std::vector<Report>();
  for (const auto& row : run_sql(tx, kReports, int_array(list.ids), int_array(list.first_steps),
                                 int_array(list.last_steps), int_array(list.places), query.from_steps, each)) {
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
  auto list = read_series(tx, query);
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
