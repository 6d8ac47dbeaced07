#include "store/registry/model_version_store.h"

#include <map>
#include <string>
#include <utility>

#include "store/checkpoints/checkpoint_list.h"
#include "store/removals/removal_plan.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kSelect =
    "SELECT v.id, v.version, v.checkpoint, v.name, v.comment, v.metadata, to_json(v.labels), v.notes, v.owner_id, "
    "u.username, v.created_at, v.changed_at FROM model_versions v JOIN users u ON u.id = v.owner_id WHERE v.model_id = "
    "$1 ";
const char* const kOfNumbers = "AND v.version = ANY($2::bigint[]) ORDER BY array_position($2::bigint[], v.version)";
const char* const kNumbers = "SELECT v.version FROM model_versions v WHERE v.model_id = $1 ";
const char* const kCount = "SELECT count(*) FROM model_versions WHERE model_id = $1";
const char* const kLockModel = "SELECT name, archived FROM models WHERE id = $1 FOR UPDATE";
const char* const kCheckpoint = "SELECT state FROM checkpoints WHERE uuid = $1";
// Deleting the experiment asks for its registered checkpoints under the same lock.
const char* const kHoldExperiment =
    "SELECT e.id, e.state FROM experiments e JOIN trials t ON t.experiment_id = e.id JOIN checkpoints c ON c.trial_id "
    "= "
    "t.id WHERE c.uuid = $1 FOR SHARE OF e";
const char* const kNext =
    "UPDATE models SET latest_version = latest_version + 1, changed_at = now() WHERE id = $1 RETURNING latest_version";
const char* const kInsert =
    "INSERT INTO model_versions (model_id, version, checkpoint, name, comment, metadata, labels, notes, owner_id) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7::text[], $8, $9)";
const char* const kChange =
    "UPDATE model_versions SET name = coalesce($3, name), comment = coalesce($4, comment), metadata = "
    "coalesce($5::jsonb, metadata), labels = coalesce($6::text[], labels), notes = coalesce($7, notes), changed_at = "
    "now() WHERE model_id = $1 AND version = $2::bigint AND (name, comment, metadata, labels, notes) IS DISTINCT FROM "
    "(coalesce($3, name), coalesce($4, comment), coalesce($5::jsonb, metadata), coalesce($6::text[], labels), "
    "coalesce($7, notes))";
const char* const kRemove = "DELETE FROM model_versions WHERE model_id = $1 AND version = $2::bigint";

std::vector<ModelVersionRow> read_versions(pg::Transaction& tx, const pqxx::result& rows) {
  std::vector<std::string> uuids;
  for (const auto& row : rows) uuids.push_back(as_text(row[2]));
  std::map<std::string, CheckpointView> checkpoints = checkpoint_views(tx, uuids);
  std::vector<ModelVersionRow> versions;
  for (const auto& row : rows) {
    versions.push_back({.id = row[0].as<std::int64_t>(),
                        .version = row[1].as<std::int64_t>(),
                        .checkpoint = checkpoints[as_text(row[2])],
                        .name = as_text(row[3]),
                        .comment = as_text(row[4]),
                        .metadata = as_json(row[5]),
                        .labels = as_json(row[6]).get<std::vector<std::string>>(),
                        .notes = as_text(row[7]),
                        .owner = {row[8].as<std::int64_t>()},
                        .owner_name = as_text(row[9]),
                        .created_at = as_time(row[10]),
                        .changed_at = as_time(row[11])});
  }
  return versions;
}

std::optional<ModelVersionRow> read_one(pg::Transaction& tx, model::RegisteredModelId model, std::int64_t version) {
  auto found =
      read_versions(tx, run_sql(tx, std::string(kSelect) + "AND v.version = $2::bigint", model.value, version));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::unexpected<Error> no_version(model::RegisteredModelId model, std::int64_t version) {
  return fail(ErrorCode::kNotFound,
              "version " + std::to_string(version) + " of model " + to_string(model) + " is gone");
}

// The experiment's lock comes first, as when it is deleted.
Status check_checkpoint(pg::Transaction& tx, const std::string& uuid) {
  const pqxx::result experiment = run_sql(tx, kHoldExperiment, uuid);
  if (!experiment.empty() && as_text(experiment[0][1]) == "DELETING") {
    return fail(ErrorCode::kFailedPrecondition,
                "experiment " + as_text(experiment[0][0]) + " of checkpoint " + uuid + " is being deleted",
                "checkpointUuid");
  }
  DET_TRY(hold_checkpoint(tx, uuid));
  const pqxx::result found = run_sql(tx, kCheckpoint, uuid);
  if (found.empty()) return not_found("checkpoint", uuid);
  if (as_text(found[0][0]) != "COMPLETED") {
    return fail(ErrorCode::kFailedPrecondition,
                "checkpoint " + uuid + " is in STATE_" + as_text(found[0][0]) +
                    " state. checkpoints for model versions must be in a COMPLETED state",
                "checkpointUuid");
  }
  return {};
}

}  // namespace

Task<Result<std::optional<ModelVersionRow>>> ModelVersionStore::find(model::RegisteredModelId model,
                                                                     std::int64_t version) {
  auto body = [=](pg::Transaction& tx) -> Result<std::optional<ModelVersionRow>> {
    return read_one(tx, model, version);
  };
  co_return co_await pool_.read("find model version", std::move(body));
}

Task<Result<Paged<std::int64_t>>> ModelVersionStore::list_numbers(ModelVersionQuery query) {
  auto body = [query](pg::Transaction& tx) -> Result<Paged<std::int64_t>> {
    Paged<std::int64_t> page;
    page.total = run_sql1(tx, kCount, query.model.value)[0].as<std::int64_t>();
    const auto offset = page_offset(query.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    const std::string way(plain_direction(query.order));
    const std::string order = query.sort == ModelVersionSort::kVersion
                                  ? "ORDER BY v.version" + way
                                  : "ORDER BY v.created_at" + way + ", v.version" + way;
    const auto rows = run_sql(tx, std::string(kNumbers) + order + " LIMIT $2 OFFSET $3", query.model.value,
                              page_limit(query.page), page.offset);
    for (const auto& row : rows) page.items.push_back(row[0].as<std::int64_t>());
    return page;
  };
  co_return co_await pool_.read("list model versions", std::move(body));
}

Task<Result<std::vector<ModelVersionRow>>> ModelVersionStore::of(model::RegisteredModelId model,
                                                                 std::vector<std::int64_t> numbers) {
  auto body = [model, numbers = int_array(numbers)](pg::Transaction& tx) -> Result<std::vector<ModelVersionRow>> {
    return read_versions(tx, run_sql(tx, std::string(kSelect) + kOfNumbers, model.value, numbers));
  };
  co_return co_await pool_.read("read model versions", std::move(body));
}

Task<Result<ModelVersionRow>> ModelVersionStore::add(NewModelVersion version) {
  auto body = [v = std::move(version)](pg::Transaction& tx) -> Result<ModelVersionRow> {
    const pqxx::result model = run_sql(tx, kLockModel, v.model.value);
    if (model.empty()) return not_found("model", to_string(v.model));
    if (model[0][1].as<bool>()) {
      return fail(ErrorCode::kFailedPrecondition,
                  "model \"" + as_text(model[0][0]) + "\" is archived and cannot register new versions");
    }
    DET_TRY(check_checkpoint(tx, v.checkpoint));
    const auto number = run_sql1(tx, kNext, v.model.value)[0].as<std::int64_t>();
    run_sql(tx, kInsert, v.model.value, number, v.checkpoint, v.name, v.comment, json_text(v.metadata),
            text_array(v.labels), v.notes, v.owner.value);
    auto made = read_one(tx, v.model, number);
    if (!made) return no_version(v.model, number);
    return std::move(*made);
  };
  co_return co_await pool_.write_once("add model version", std::move(body));
}

Task<Result<ModelVersionRow>> ModelVersionStore::change(model::RegisteredModelId model, std::int64_t version,
                                                        ModelVersionPatch patch) {
  auto body = [model, version, p = std::move(patch)](pg::Transaction& tx) -> Result<ModelVersionRow> {
    const auto metadata = p.metadata ? std::optional(json_text(*p.metadata)) : std::nullopt;
    const auto labels = p.labels ? std::optional(text_array(*p.labels)) : std::nullopt;
    run_sql(tx, kChange, model.value, version, p.name, p.comment, metadata, labels, p.notes);
    auto row = read_one(tx, model, version);
    if (!row) return no_version(model, version);
    return std::move(*row);
  };
  co_return co_await pool_.write("change model version", std::move(body));
}

Task<Status> ModelVersionStore::remove(model::RegisteredModelId model, std::int64_t version) {
  auto body = [model, version](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kRemove, model.value, version).affected_rows() == 0) return no_version(model, version);
    return {};
  };
  co_return co_await pool_.write_once("remove model version", std::move(body));
}

}  // namespace det::store
