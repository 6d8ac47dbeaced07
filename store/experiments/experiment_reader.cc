#include "store/experiments/experiment_reader.h"

#include <algorithm>

#include "base/encoding.h"

namespace det::store {
namespace {

const char* const kColumns =
    "e.id, e.nonce, e.uid, e.namespace, e.object_name, e.owner_id, e.project_id, e.parent_id, e.state, e.message, "
    "e.config, "
    "e.original_config, e.config_hash, e.name, e.description, e.labels, e.notes, e.job_id, e.context_kind, "
    "e.context_sha256, e.archived, e.progress, e.start_time, e.end_time, e.live, "
    "e.log_retention_days, e.unmanaged, e.external_id";
constexpr int kRowColumns = 28;

const char* const kPlaceColumns =
    "u.username, u.display_name, p.name, p.owner_id, w.id, w.name, best.id, best.best_metric, ";
const char* const kPlaces =
    "JOIN users u ON u.id = e.owner_id JOIN projects p ON p.id = e.project_id "
    "JOIN workspaces w ON w.id = p.workspace_id ";
const char* const kRestOfColumns = ", p.archived OR w.archived, best.external_id";
const char* const kSavedColumns =
    "count(*) AS n, least(coalesce(sum(c.size), 0), 9223372036854775807)::bigint AS bytes";

// What adds up over trials is added up for all of the page together: one by one, the planner may read a whole table for
// each. Indexes trials_experiment, checkpoints_trial, allocations_open.
const std::string kViewColumns =
    kPlaceColumns + std::string("coalesce(saved.n, 0), coalesce(saved.bytes, 0), d.size, tried.ids, running.states") +
    kRestOfColumns;
const std::string kViewJoins =
    " FROM page JOIN experiments e ON e.id = page.id " + std::string(kPlaces) +
    "LEFT JOIN model_definitions d ON d.sha256 = e.context_sha256 AND e.context_kind NOT IN ('git', 'pvc') "
    "LEFT JOIN (SELECT t.experiment_id, " +
    kSavedColumns +
    " FROM page JOIN trials t ON t.experiment_id = page.id JOIN checkpoints c ON c.trial_id = t.id WHERE c.state <> "
    "'DELETED' GROUP BY 1) saved ON saved.experiment_id = e.id "
    "LEFT JOIN (SELECT t.experiment_id, json_agg(t.id ORDER BY t.id) AS ids FROM page "
    " JOIN trials t ON t.experiment_id = page.id GROUP BY 1) tried ON tried.experiment_id = e.id "
    "LEFT JOIN (SELECT t.experiment_id, json_agg(DISTINCT a.state) AS states FROM page "
    " JOIN trials t ON t.experiment_id = page.id JOIN allocations a ON a.trial_id = t.id WHERE a.ended_at IS NULL "
    " GROUP BY 1) running ON running.experiment_id = e.id ";

// As kViewColumns, by the same indexes.
const std::string kOneViewColumns =
    kPlaceColumns +
    std::string(
        "saved.n, saved.bytes, (SELECT d.size FROM model_definitions d WHERE d.sha256 = e.context_sha256 AND "
        "e.context_kind NOT IN ('git', 'pvc')), (SELECT json_agg(t.id ORDER BY t.id) FROM trials t WHERE "
        "t.experiment_id = e.id), (SELECT json_agg(DISTINCT a.state) FROM trials t JOIN allocations a ON "
        "a.trial_id = t.id WHERE t.experiment_id = e.id AND a.ended_at IS NULL)") +
    kRestOfColumns;

const char* const kCheckpoints =
    " FROM trials t JOIN checkpoints c ON c.trial_id = t.id WHERE t.experiment_id = e.id AND c.state <> 'DELETED'";
// Index trials_best.
const char* const kBestTrial =
    " FROM trials t WHERE t.experiment_id = e.id AND t.best_rank IS NOT NULL ORDER BY t.best_rank LIMIT 1";

std::vector<std::string> as_labels(const pqxx::field& field) {
  return as_json(field).get<std::vector<std::string>>();
}

std::optional<model::AllocationState> furthest(const nlohmann::json& words) {
  std::optional<model::AllocationState> state;
  for (const auto& word : words) {
    const auto one = model::parse_allocation_state(word.get<std::string>());
    if (one && (!state || *one > *state)) state = one;
  }
  return state;
}

}  // namespace

std::string experiment_columns() {
  return kColumns;
}

ExperimentRow read_experiment(const pqxx::row& row) {
  return {.id = {row[0].as<std::int64_t>()},
          .nonce = as_text(row[1]),
          .uid = as_text(row[2]),
          .ns = as_text(row[3]),
          .name = as_text(row[4]),
          .owner = {row[5].as<std::int64_t>()},
          .project = {row[6].as<std::int64_t>()},
          .parent = as_optional_id<model::ExperimentId>(row[7]),
          .state = as_state(row[8], model::parse_experiment_state),
          .message = as_text(row[9]),
          .config = as_json(row[10]),
          .original_config = as_text(row[11]),
          .config_hash = as_text(row[12]),
          .title = as_text(row[13]),
          .description = as_text(row[14]),
          .labels = as_labels(row[15]),
          .notes = as_text(row[16]),
          .job_id = as_text(row[17]),
          .context = {.kind = as_text(row[18]), .sha256 = as_text(row[19])},
          .archived = row[20].as<bool>(),
          .progress = as_optional<double>(row[21]),
          .start_time = as_time(row[22]),
          .end_time = as_optional_time(row[23]),
          .live = as_json(row[24]),
          .log_retention_days = as_optional<int>(row[25]),
          .is_unmanaged = row[26].as<bool>(),
          .external_id = as_text(row[27])};
}

std::string select_named_experiment() {
  return std::string("SELECT ") + kColumns + ", u.username, w.id, w.name FROM experiments e " + kPlaces +
         "WHERE e.id = $1";
}

NamedExperiment read_named_experiment(const pqxx::row& row) {
  constexpr int at = kRowColumns;
  return {.row = read_experiment(row),
          .username = as_text(row[at]),
          .workspace = {row[at + 1].as<std::int64_t>()},
          .workspace_name = as_text(row[at + 2])};
}

std::string select_experiment_view() {
  return std::string("SELECT ") + kColumns + ", " + kOneViewColumns + " FROM experiments e " + kPlaces +
         "LEFT JOIN LATERAL (SELECT " + kSavedColumns + kCheckpoints +
         ") saved ON true LEFT JOIN LATERAL (SELECT t.id, t.best_metric, t.external_id" + kBestTrial +
         ") best ON true WHERE e.id = $1";
}

std::string select_experiment_views(const std::string& ids) {
  return "WITH page AS MATERIALIZED (SELECT * FROM unnest(ARRAY(" + ids +
         ")) WITH ORDINALITY AS listed (id, place)) SELECT " + kColumns + ", " + kViewColumns + kViewJoins +
         "LEFT JOIN LATERAL (SELECT t.id, t.best_metric, t.external_id" + kBestTrial +
         ") best ON true ORDER BY page.place";
}

std::string experiment_checkpoints() {
  return kCheckpoints;
}

std::string experiment_best_trial() {
  return kBestTrial;
}

ExperimentView read_experiment_view(const pqxx::row& row) {
  constexpr int at = kRowColumns;
  ExperimentView view{.row = read_experiment(row),
                      .username = as_text(row[at]),
                      .display_name = as_text(row[at + 1]),
                      .project_name = as_text(row[at + 2]),
                      .project_owner = {row[at + 3].as<std::int64_t>()},
                      .workspace = {row[at + 4].as<std::int64_t>()},
                      .workspace_name = as_text(row[at + 5]),
                      .is_parent_archived = row[at + 13].as<bool>(),
                      .allocation_state = furthest(as_json(row[at + 12])),
                      .trial_ids = {},
                      .best_trial = as_optional_id<model::TrialId>(row[at + 6]),
                      .best_metric = as_optional<double>(row[at + 7]),
                      .external_trial_id = as_text(row[at + 14]),
                      .checkpoint_count = row[at + 8].as<std::int64_t>(),
                      .checkpoint_bytes = row[at + 9].as<std::int64_t>(),
                      .context_bytes = as_optional<std::int64_t>(row[at + 10]).value_or(0)};
  for (const auto& id : as_json(row[at + 11])) view.trial_ids.push_back({id.get<std::int64_t>()});
  return view;
}

UnreadExperimentView unread_experiment_view(const pqxx::row& row) {
  std::string all;
  for (const auto& field : row) {
    all += field.is_null() ? "-" : std::to_string(field.size());  // so that no value runs into the next
    all.append(":").append(field.c_str(), field.size());
  }
  return {.digest = sha256_hex(all), .best_trial = as_optional_id<model::TrialId>(row[kRowColumns + 6]), .read = [row] {
            return read_experiment_view(row);
          }};
}

}  // namespace det::store
