#pragma once

// Turning rows of metrics back into the values that were reported. A detail of the stores that read them.

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "store/metrics/metric_store.h"
#include "store/sql.h"
#include "store/trials/trial_rows.h"

namespace det::store {

// The names of one row (a JSON list), its values ("{1,NULL,NaN}") and extra, added to `metrics` (name -> value; what is
// there already stays) and `batch` (null or a list). Whole numbers come back as integers, NaN and infinities as the
// wire's strings.
void add_metrics(const pqxx::field& names, const pqxx::field& values, const pqxx::field& extra, nlohmann::json& metrics,
                 nlohmann::json& batch);

enum class Keyed : std::uint8_t { kBySteps, kByTime };

// Rows (run, group, steps, time, names, values, extra) in the order of their query; neighbours of the same report
// become one.
[[nodiscard]] std::vector<MetricRow> read_reports(const pqxx::result& rows, model::TrialId trial,
                                                  Keyed keyed = Keyed::kBySteps);

using TrialSteps = std::pair<std::int64_t, std::int64_t>;  // trial id, steps

// The visible reports of `group` at exactly these places; a later run's report wins.
[[nodiscard]] std::map<TrialSteps, ValidationRow> metrics_at(pqxx::transaction_base& tx, std::string_view group,
                                                             const std::vector<TrialSteps>& places);

// Steps of the last visible report of validation metrics per trial.
[[nodiscard]] std::map<std::int64_t, std::int64_t> latest_validation_steps(pqxx::transaction_base& tx,
                                                                           const std::vector<std::int64_t>& trials);

}  // namespace det::store
