#include "store/checkpoints/checkpoint_reader.h"

namespace det::store {
namespace {

const char* const kWhole = "SELECT c.*, true AS is_best FROM checkpoints c ";
const char* const kAtBest = "c.trial_id = t.id AND c.state = 'COMPLETED' AND c.steps = t.best_steps";

// Index checkpoints_trial. Nearly always the best validation has a checkpoint; only else are the others' looked at.
std::string select_latest_and_best() {
  return "SELECT " + checkpoint_columns() +
         ", c.is_best FROM trials t JOIN experiments e ON e.id = t.experiment_id CROSS JOIN LATERAL ("
         "(SELECT *, false AS is_best FROM checkpoints WHERE trial_id = t.id AND state <> 'DELETED' "
         "ORDER BY steps DESC LIMIT 1) UNION ALL (" +
         kWhole + "WHERE " + kAtBest + " LIMIT 1) UNION ALL (" + kWhole + "CROSS JOIN LATERAL (" +
         checkpoint_score("e.searcher_metric") +
         ") score WHERE t.best_steps IS NOT NULL AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE " + kAtBest +
         ") AND c.trial_id = t.id AND c.state = 'COMPLETED' AND score.metric IS NOT NULL "
         "ORDER BY CASE WHEN e.smaller_is_better THEN score.metric ELSE -score.metric END, c.steps LIMIT 1)) c "
         "JOIN tasks k ON k.number = c.task_number WHERE t.id ";
}

}  // namespace

std::string checkpoint_columns() {
  return "c.uuid, k.id, c.allocation_id, c.trial_id, c.report_time, c.state, c.steps, c.metadata, c.resources, c.size, "
         "c.storage_id";
}

CheckpointRow read_checkpoint(const pqxx::row& row) {
  return {.uuid = as_text(row[0]),
          .task_id = as_text(row[1]),
          .allocation_id = as_text(row[2]),
          .trial = as_optional_id<model::TrialId>(row[3]),
          .report_time = as_time(row[4]),
          .state = as_state(row[5], model::parse_checkpoint_state),
          .steps = row[6].as<std::int64_t>(),
          .metadata = as_json(row[7]),
          .resources = as_json(row[8]),
          .bytes = row[9].as<std::int64_t>(),
          .storage_id = as_optional<std::int64_t>(row[10])};
}

// Indexes series_trial_id_grp_run_names_id_key, metrics_pkey.
std::string checkpoint_score(const std::string& name) {
  return "SELECT m.values[array_position(n.names, " + name +
         ")] AS metric FROM visible_series s JOIN metric_names n ON n.id = s.names_id "
         "JOIN metrics m ON m.series_id = s.id AND m.steps = c.steps AND m.steps <= s.last_steps "
         "WHERE s.trial_id = t.id AND s.grp = 'validation' AND " +
         name + " = ANY(n.names) ORDER BY s.run DESC LIMIT 1";
}

std::map<std::int64_t, TrialCheckpoints> latest_and_best(pqxx::transaction_base& tx,
                                                         const std::vector<std::int64_t>& trials) {
  std::map<std::int64_t, TrialCheckpoints> found;
  const OneOrMany which = one_or_many(trials);
  for (const auto& row : run_sql(tx, select_latest_and_best() + which.condition, which.parameter)) {
    CheckpointRow checkpoint = read_checkpoint(row);
    TrialCheckpoints& of_trial = found[checkpoint.trial->value];
    (row[kCheckpointColumns].as<bool>() ? of_trial.best : of_trial.latest) = std::move(checkpoint);
  }
  return found;
}

}  // namespace det::store
