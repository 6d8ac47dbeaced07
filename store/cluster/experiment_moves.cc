// Experiments from one project to another.

#include <algorithm>
#include <map>
#include <utility>

#include "store/cluster/place_checks.h"
#include "store/cluster/project_store.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kLock =
    "SELECT e.id, e.project_id, e.archived, p.archived OR w.archived, e.owner_id FROM experiments e JOIN projects p ON "
    "p.id = e.project_id JOIN workspaces w ON w.id = p.workspace_id WHERE e.id = ANY($1::bigint[]) ORDER BY e.id FOR "
    "UPDATE OF e";
const char* const kMove = "UPDATE experiments SET project_id = $2 WHERE id = ANY($1::bigint[])";

Status lock_destination(pg::Transaction& tx, model::ProjectId to) {
  const auto facts = lock_project(tx, to);
  DET_TRY(facts);
  const std::string what = "project (" + to_string(to) + ") is ";
  if (facts->archived || facts->is_workspace_archived) {
    return fail(ErrorCode::kFailedPrecondition, what + "archived and cannot add new experiments");
  }
  if (facts->state == PlaceState::kDeleting) return fail(ErrorCode::kFailedPrecondition, what + "being deleted");
  return {};
}

}  // namespace

Task<Status> ProjectStore::move_experiment(model::ExperimentId id, model::ProjectId to) {
  auto body = [id, to](pg::Transaction& tx) -> Status {
    const pqxx::result found = run_sql(tx, kLock, int_array({id.value}));
    if (found.empty()) return not_found("experiment", to_string(id));
    if (found[0][2].as<bool>()) {
      return fail(ErrorCode::kFailedPrecondition, "experiment (" + to_string(id) + ") is archived and cannot be moved");
    }
    if (found[0][3].as<bool>()) {
      return fail(ErrorCode::kFailedPrecondition,
                  "project (" + as_text(found[0][1]) + ") is archived and cannot have experiments moved from it");
    }
    DET_TRY(lock_destination(tx, to));
    run_sql(tx, kMove, int_array({id.value}), to.value);
    return {};
  };
  co_return co_await pool_.write("move experiment", std::move(body));
}

Task<Result<std::vector<MovedExperiment>>> ProjectStore::move_experiments(model::ProjectId from,
                                                                          std::vector<std::int64_t> ids,
                                                                          model::ProjectId to,
                                                                          std::optional<model::UserId> owner) {
  auto body = [=](pg::Transaction& tx) -> Result<std::vector<MovedExperiment>> {
    std::map<std::int64_t, std::string> errors;
    for (const std::int64_t id : ids) errors[id] = "experiment '" + std::to_string(id) + "' not found";
    std::vector<std::int64_t> movable;
    for (const auto& row : run_sql(tx, kLock, int_array(ids))) {
      const auto id = row[0].as<std::int64_t>();
      if (row[1].as<std::int64_t>() != from.value) continue;
      if (row[2].as<bool>() || row[3].as<bool>()) {
        errors[id] = "Experiment is archived.";
      } else if (owner && row[4].as<std::int64_t>() != owner->value) {
        errors[id] = "only its owner and admins can do this to an experiment";
      } else {
        errors[id].clear();
        movable.push_back(id);
      }
    }
    DET_TRY(lock_destination(tx, to));
    if (!movable.empty()) run_sql(tx, kMove, int_array(movable), to.value);
    std::vector<MovedExperiment> results;
    for (const auto& [id, error] : errors) results.push_back({.id = {id}, .error = error});
    return results;
  };
  co_return co_await pool_.write("move experiments", std::move(body));
}

}  // namespace det::store
