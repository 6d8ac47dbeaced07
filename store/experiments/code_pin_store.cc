#include "store/experiments/code_pin_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

// Indexes: primary keys of allocations, trials and code_pins.
const char* const kFind =
    "SELECT coalesce(p.commit, '') FROM allocations a JOIN trials t ON t.id = a.trial_id "
    "LEFT JOIN code_pins p ON p.experiment_id = t.experiment_id WHERE a.id = $1";
const char* const kPin =
    "INSERT INTO code_pins (experiment_id, commit) SELECT t.experiment_id, $2 FROM allocations a "
    "JOIN trials t ON t.id = a.trial_id WHERE a.id = $1 ON CONFLICT DO NOTHING";

Result<std::string> find_pin(pg::Transaction& tx, const std::string& allocation_id) {
  const pqxx::result found = run_sql(tx, kFind, allocation_id);
  if (found.empty()) return not_found("allocation", allocation_id);
  return as_text(found[0][0]);
}

}  // namespace

Task<Result<std::string>> CodePinStore::find(std::string allocation_id) {
  auto body = [allocation_id](pg::Transaction& tx) { return find_pin(tx, allocation_id); };
  co_return co_await pool_.read("find code pin", std::move(body));
}

Task<Result<std::string>> CodePinStore::pin(std::string allocation_id, std::string commit) {
  auto body = [allocation_id, commit](pg::Transaction& tx) -> Result<std::string> {
    run_sql(tx, kPin, allocation_id, commit);
    return find_pin(tx, allocation_id);
  };
  co_return co_await pool_.write("pin code", std::move(body));
}

}  // namespace det::store
