#include "store/metrics/metric_reader.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace det::store {
namespace {

// Indexes: series_trial_id_grp_run_names_id_key, metrics_pkey.
const char* const kAt =
    "SELECT q.trial, q.steps, m.time, to_json(n.names), m.values, m.extra "
    "FROM unnest($2::bigint[], $3::bigint[]) AS q (trial, steps) JOIN visible_series s ON s.trial_id = q.trial AND "
    "s.grp = $1 "
    "JOIN metric_names n ON n.id = s.names_id JOIN metrics m ON m.series_id = s.id AND m.steps = q.steps "
    "AND m.steps <= s.last_steps ORDER BY s.run DESC, s.id";
std::string latest_of(const std::string& condition) {
  return "SELECT s.trial_id, max(top.steps) FROM visible_series s CROSS JOIN LATERAL (SELECT m.steps FROM metrics m "
         "WHERE m.series_id = s.id AND m.steps <= s.last_steps ORDER BY m.steps DESC LIMIT 1) top "
         "WHERE s.trial_id " +
         condition + " AND s.grp = 'validation' GROUP BY s.trial_id";
}

nlohmann::json number(std::string_view text) {
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return std::string(text);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double kExact = 9'007'199'254'740'992.0;  // 2^53: above it neighbours are no longer whole numbers
  if (std::trunc(value) == value && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

void add_metrics(const pqxx::field& names, const pqxx::field& values, const pqxx::field& extra, nlohmann::json& metrics,
                 nlohmann::json& batch) {
  const nlohmann::json others = as_json(extra);
  if (metrics.is_null()) metrics = nlohmann::json::object();
  std::string_view rest(values.c_str(), values.size());
  rest.remove_prefix(1);  // '{'
  for (const auto& name : as_json(names)) {
    const std::size_t end = rest.find_first_of(",}");
    const std::string_view value = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const auto& key = name.get_ref<const std::string&>();
    if (metrics.contains(key)) continue;
    if (value != "NULL") {
      metrics[key] = number(value);
    } else if (others.is_object() && others.contains("avg") && others["avg"].contains(key)) {
      metrics[key] = others["avg"][key];
    }
  }
  if (batch.is_null() && others.is_object() && others.contains("batch")) batch = others["batch"];
}

std::vector<MetricRow> read_reports(const pqxx::result& rows, model::TrialId trial, Keyed keyed) {
  std::vector<MetricRow> reports;
  for (const auto& row : rows) {
    const int run = row[0].as<int>();
    const std::string group = as_text(row[1]);
    const std::int64_t steps = row[2].as<std::int64_t>();
    const WallTime time = as_time(row[3]);
    const bool same = !reports.empty() && reports.back().run == run && reports.back().group == group &&
                      reports.back().steps == steps && (keyed == Keyed::kBySteps || reports.back().time == time);
    if (!same) {
      reports.push_back({.trial = trial,
                         .run = run,
                         .group = group,
                         .steps = steps,
                         .time = time,
                         .metrics = nullptr,
                         .batch_metrics = nullptr});
    }
    add_metrics(row[4], row[5], row[6], reports.back().metrics, reports.back().batch_metrics);
  }
  return reports;
}

std::map<TrialSteps, ValidationRow> metrics_at(pqxx::transaction_base& tx, std::string_view group,
                                               const std::vector<TrialSteps>& places) {
  if (places.empty()) return {};
  std::vector<std::int64_t> trials;
  std::vector<std::int64_t> steps;
  for (const auto& [trial, step] : places) {
    trials.push_back(trial);
    steps.push_back(step);
  }
  std::map<TrialSteps, ValidationRow> found;
  nlohmann::json batch;
  for (const auto& row : run_sql(tx, kAt, std::string(group), int_array(trials), int_array(steps))) {
    ValidationRow& report = found[{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()}];
    report.steps = row[1].as<std::int64_t>();
    if (report.metrics.is_null()) report.time = as_time(row[2]);
    add_metrics(row[3], row[4], row[5], report.metrics, batch);
  }
  return found;
}

std::map<std::int64_t, std::int64_t> latest_validation_steps(pqxx::transaction_base& tx,
                                                             const std::vector<std::int64_t>& trials) {
  if (trials.empty()) return {};
  std::map<std::int64_t, std::int64_t> steps;
  const OneOrMany which = one_or_many(trials);
  for (const auto& row : run_sql(tx, latest_of(which.condition), which.parameter)) {
    steps[row[0].as<std::int64_t>()] = row[1].as<std::int64_t>();
  }
  return steps;
}

}  // namespace det::store
