#include "store/checkpoints/checkpoint_reader.h"

namespace det::store {
namespace {

// Index checkpoints_trial.
const char* const kLatestAndBest =
    " FROM trials t CROSS JOIN LATERAL ("
    "(SELECT * FROM checkpoints WHERE trial_id = t.id AND state <> 'DELETED' ORDER BY steps DESC LIMIT 1) UNION "
    "(SELECT * FROM checkpoints WHERE trial_id = t.id AND state <> 'DELETED' AND steps = t.best_steps LIMIT 1)) c "
    "JOIN tasks k ON k.number = c.task_number WHERE t.id ";

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

std::multimap<std::int64_t, CheckpointRow> latest_and_best(pqxx::transaction_base& tx,
                                                           const std::vector<std::int64_t>& trials) {
  std::multimap<std::int64_t, CheckpointRow> found;
  const OneOrMany which = one_or_many(trials);
  const std::string statement = "SELECT " + checkpoint_columns() + kLatestAndBest + which.condition;
  for (const auto& row : run_sql(tx, statement, which.parameter)) {
    CheckpointRow checkpoint = read_checkpoint(row);
    found.emplace(checkpoint.trial->value, std::move(checkpoint));
  }
  return found;
}

}  // namespace det::store
