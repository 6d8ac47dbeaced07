#include "store/registry/registered_checkpoints.h"

#include <algorithm>

#include "base/few_names.h"

namespace det::store {
namespace {

// Indexes model_versions_checkpoint, trials_experiment, checkpoints_trial.
const char* const kOfUuids =
    "SELECT v.checkpoint, m.name, v.version FROM model_versions v JOIN models m ON m.id = v.model_id WHERE "
    "v.checkpoint "
    "= ANY($1::uuid[]) ORDER BY m.name, v.version";
const char* const kOfExperiment =
    "SELECT v.checkpoint, m.name, v.version FROM trials t JOIN checkpoints c ON c.trial_id = t.id JOIN model_versions "
    "v "
    "ON v.checkpoint = c.uuid JOIN models m ON m.id = v.model_id WHERE t.experiment_id = $1 ORDER BY m.name, v.version";

// Index experiments_project.
const char* const kOfProjects =
    "SELECT v.checkpoint, m.name, v.version FROM model_versions v JOIN models m ON m.id = v.model_id JOIN checkpoints "
    "c "
    "ON c.uuid = v.checkpoint JOIN trials t ON t.id = c.trial_id JOIN experiments e ON e.id = t.experiment_id WHERE "
    "e.project_id = ANY($1::bigint[]) ORDER BY m.name, v.version";

// A message that names them all could be as long as the request.
constexpr std::size_t kMostNamed = 5;

std::vector<RegisteredCheckpoint> read(const pqxx::result& rows) {
  std::vector<RegisteredCheckpoint> registered;
  for (const auto& row : rows) {
    registered.push_back(
        {.uuid = as_text(row[0]), .version = "\"" + as_text(row[1]) + "\" version " + as_text(row[2])});
  }
  return registered;
}

}  // namespace

std::vector<RegisteredCheckpoint> registered_of(pqxx::transaction_base& tx, const std::vector<std::string>& uuids) {
  return read(run_sql(tx, kOfUuids, text_array(uuids)));
}

std::vector<RegisteredCheckpoint> registered_of(pqxx::transaction_base& tx, model::ExperimentId experiment) {
  return read(run_sql(tx, kOfExperiment, experiment.value));
}

std::vector<RegisteredCheckpoint> registered_in_projects(pqxx::transaction_base& tx, const std::string& projects) {
  return read(run_sql(tx, kOfProjects, projects));
}

std::string versions_text(const std::vector<RegisteredCheckpoint>& registered) {
  return few_names(registered, kMostNamed, [](const RegisteredCheckpoint& one) { return one.version; });
}

std::unexpected<Error> held_by_registry(const std::vector<RegisteredCheckpoint>& registered, const std::string& what) {
  std::vector<std::string> uuids;
  for (const auto& [uuid, version] : registered) uuids.push_back(uuid);
  std::ranges::sort(uuids);
  uuids.erase(std::ranges::unique(uuids).begin(), uuids.end());
  std::string list;
  for (const std::string& uuid : uuids) list += (list.empty() ? "" : " ") + uuid;
  return fail(ErrorCode::kFailedPrecondition,
              "this subset of checkpoints provided are in the model registry and "
              "cannot be " +
                  what + ": [" + list + "]. They are " + versions_text(registered) + "; delete those versions first");
}

}  // namespace det::store
