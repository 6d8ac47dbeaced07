#include "store/trials/run_metadata_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

const char* const kFind = "SELECT metadata FROM run_metadata WHERE trial_id = $1";
const char* const kSet =
    "INSERT INTO run_metadata (trial_id, metadata) SELECT id, $2 FROM trials WHERE id = $1 ON CONFLICT (trial_id) DO "
    "UPDATE SET metadata = excluded.metadata";

}  // namespace

Task<Result<nlohmann::json>> RunMetadataStore::find(model::TrialId trial) {
  auto body = [trial](pg::Transaction& tx) -> Result<nlohmann::json> {
    const pqxx::result found = run_sql(tx, kFind, trial.value);
    return found.empty() ? nlohmann::json::object() : as_json(found[0][0]);
  };
  co_return co_await pool_.read("find run metadata", std::move(body));
}

Task<Status> RunMetadataStore::set(model::TrialId trial, nlohmann::json metadata) {
  auto body = [trial, metadata = std::move(metadata)](pg::Transaction& tx) -> Status {
    return changed_one(run_sql(tx, kSet, trial.value, json_text(metadata)), "run", to_string(trial));
  };
  co_return co_await pool_.write("set run metadata", std::move(body));
}

}  // namespace det::store
