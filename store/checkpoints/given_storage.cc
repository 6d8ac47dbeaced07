#include "store/checkpoints/given_storage.h"

#include "base/encoding.h"
#include "store/checkpoints/checkpoint_storage.h"

namespace det::store {
namespace {

const char* const kMake =
    "INSERT INTO storages (hash, config, experiment_id) VALUES (decode($1, 'hex'), $2, $3) ON CONFLICT DO NOTHING";
// Index storages_experiment.
const char* const kCount = "SELECT count(*) FROM storages WHERE experiment_id = $1";
constexpr std::int64_t kMost = 1000;                     // of one experiment
constexpr std::size_t kLongest = std::size_t{64} << 10;  // bytes of a section
const char* const kFind = "SELECT id FROM storages WHERE hash = decode($1, 'hex')";
// Indexes trials_task_number_key, storages_pkey, checkpoints_trial.
const char* const kGiven =
    "SELECT coalesce(s.experiment_id = e.id, false), "
    "s.id IS NOT NULL AND s.experiment_id IS NULL AND e.id IS NOT NULL, s.config, e.config -> 'checkpoint_storage', "
    "EXISTS (SELECT 1 FROM checkpoints c WHERE c.trial_id = t.id AND c.storage_id = s.id) "
    "FROM tasks k LEFT JOIN trials t ON t.task_number = k.number LEFT JOIN experiments e ON e.id = t.experiment_id "
    "LEFT JOIN storages s ON s.id = $2 WHERE k.id = $1";

bool may_name(const pqxx::row& row) {
  if (row[0].as<bool>()) return true;
  const bool is_of_before = row[1].as<bool>();
  if (!is_of_before) return false;
  return row[4].as<bool>() || without_policy(as_json(row[2])) == without_policy(as_json(row[3]));
}

}  // namespace

Result<std::int64_t> give_storage(pqxx::transaction_base& tx, model::ExperimentId experiment,
                                  const nlohmann::json& section) {
  const std::string text = json_text(section);  // keys are sorted
  if (text.size() > kLongest) {
    return fail(ErrorCode::kInvalidArgument,
                "checkpointStorage: " + std::to_string(text.size()) + " bytes are more than the " +
                    std::to_string(kLongest) + " of a storage",
                "checkpointStorage");
  }
  // No hash of the text alone, as servers of before make them: they would give this number to everybody.
  const std::string hash = sha256_hex(to_string(experiment) + " " + text);
  const pqxx::result known = run_sql(tx, kFind, hash);
  if (!known.empty()) return known[0][0].as<std::int64_t>();
  if (run_sql1(tx, kCount, experiment.value)[0].as<std::int64_t>() >= kMost) {
    return fail(ErrorCode::kInvalidArgument,
                "checkpointStorage: experiment " + to_string(experiment) + " has named " + std::to_string(kMost) +
                    " storages already; name one of them",
                "checkpointStorage");
  }
  run_sql(tx, kMake, hash, text, experiment.value);
  return run_sql1(tx, kFind, hash)[0].as<std::int64_t>();
}

Status check_given_storage(pqxx::transaction_base& tx, const std::string& task_id, std::int64_t storage) {
  const pqxx::result found = run_sql(tx, kGiven, task_id, storage);
  if (found.empty() || may_name(found[0])) return {};
  return fail(ErrorCode::kInvalidArgument,
              "storageId: " + std::to_string(storage) +
                  " was not given to this trial's experiment; POST /api/v1/runs/start gives the number of a storage",
              "storageId");
}

}  // namespace det::store
