#include "store/metrics/report_deletion.h"

#include <utility>

#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::int64_t kMostReports = 100'000;  // of one call
constexpr int kMostSeries = 1'000;

// Index trials_experiment, series_trial_id_grp_run_names_id_key.
const char* const kSeries =
    "SELECT s.id FROM series s JOIN trials t ON t.id = s.trial_id WHERE t.experiment_id = $1 AND s.id >= $2 "
    "ORDER BY s.id LIMIT $3";

struct Table {
  std::string name;
  std::string place;  // what orders the reports of a series
  std::string type;
  std::string before_all;
};

const Table& table_of(const ReportDeletion& at) {
  static const Table kBySteps{.name = "metrics", .place = "steps", .type = "int", .before_all = "-1"};
  static const Table kByTime{
      .name = "metrics_by_time", .place = "time", .type = "timestamptz", .before_all = "-infinity"};
  return at.by_time ? kByTime : kBySteps;
}

// Indexes metrics_pkey, metrics_by_time_pkey. The last of so many reports of the series; none: there are fewer.
std::string last_of_some(const Table& table) {
  return "SELECT " + table.place + " FROM " + table.name + " WHERE series_id = $1 AND " + table.place +
         " > $2::" + table.type + " ORDER BY " + table.place + " OFFSET $3 LIMIT 1";
}
std::string delete_after(const Table& table) {
  return "DELETE FROM " + table.name + " WHERE series_id = $1 AND " + table.place + " > $2::" + table.type;
}
std::string delete_up_to(const Table& table) {
  return delete_after(table) + " AND " + table.place + " <= $3::" + table.type;
}

}  // namespace

std::optional<ReportDeletion> delete_reports(pg::Transaction& tx, model::ExperimentId id, const ReportDeletion& from) {
  const Table& table = table_of(from);
  const pqxx::result all = run_sql(tx, kSeries, id.value, from.series, kMostSeries);
  std::int64_t left = kMostReports;
  ReportDeletion at = from;
  for (const auto& row : all) {
    const auto series = row[0].as<std::int32_t>();
    if (series != at.series) at = {.by_time = from.by_time, .series = series, .after = {}};
    const std::string after = at.after.empty() ? table.before_all : at.after;
    const pqxx::result last = run_sql(tx, last_of_some(table), series, after, left - 1);
    if (!last.empty()) {
      at.after = as_text(last[0][0]);
      run_sql(tx, delete_up_to(table), series, after, at.after);
      return at;
    }
    left -= static_cast<std::int64_t>(run_sql(tx, delete_after(table), series, after).affected_rows());
  }
  if (std::cmp_equal(all.size(), kMostSeries))
    return ReportDeletion{.by_time = from.by_time, .series = at.series + 1, .after = {}};
  if (from.by_time) return std::nullopt;
  return ReportDeletion{.by_time = true, .series = 0, .after = {}};
}

}  // namespace det::store
