#include "store/cluster/project_store.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/encoding.h"
#include "store/cluster/place_checks.h"
#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::size_t kKeyLength = 5;
constexpr std::size_t kKeyPrefix = 3;
constexpr int kKeyTries = 10;

// Index experiments_project; trials_experiment for the trials.
const char* const kColumns =
    "SELECT p.id, p.workspace_id, w.name, w.owner_id, p.name, p.description, p.key, p.owner_id, u.username, "
    "p.immutable, p.archived OR w.archived, p.state, p.error_message, p.notes, n.experiments, n.active, (SELECT "
    "count(*) FROM experiments e JOIN trials t ON t.experiment_id = e.id WHERE e.project_id = p.id), n.last_start";
const char* const kFrom =
    " FROM projects p JOIN workspaces w ON w.id = p.workspace_id JOIN users u ON u.id = p.owner_id ";
const char* const kCounts =
    "CROSS JOIN LATERAL (SELECT count(*) AS experiments, count(*) FILTER (WHERE e.state = 'ACTIVE') AS active, "
    "max(e.start_time) AS last_start FROM experiments e WHERE e.project_id = p.id) n ";
const char* const kMatching =
    "WHERE ($1::bigint IS NULL OR p.workspace_id = $1) AND ($2 = '' OR lower(p.name) = lower($2)) AND ($3::boolean IS "
    "NULL OR p.archived = $3) AND (cardinality($4::text[]) + cardinality($5::bigint[]) = 0 OR u.username = "
    "ANY($4::text[]) OR p.owner_id = ANY($5::bigint[])) AND ($6::bigint[] IS NULL OR p.workspace_id = "
    "ANY($6::bigint[]))";
const char* const kById = "WHERE p.id = $1";
const char* const kByKey = "WHERE p.key = upper($1)";
const char* const kOwners =
    "SELECT p.owner_id, w.owner_id FROM projects p JOIN workspaces w ON w.id = p.workspace_id WHERE p.id = $1";

const char* const kNameTaken = "SELECT 1 FROM projects WHERE workspace_id = $1 AND name = $2 AND id <> $3";
const char* const kKeyTaken = "SELECT 1 FROM projects WHERE key = $1 AND id <> $2";
const char* const kInsert =
    "INSERT INTO projects (workspace_id, name, description, key, owner_id) VALUES ($1, $2, $3, $4, $5) RETURNING id";
const char* const kChange =
    "UPDATE projects SET name = coalesce($2, name), description = coalesce($3, description), key = coalesce($4, key) "
    "WHERE id = $1";
const char* const kSetArchived = "UPDATE projects SET archived = $2 WHERE id = $1";
const char* const kMove = "UPDATE projects SET workspace_id = $2 WHERE id = $1";
const char* const kNotes = "SELECT notes FROM projects WHERE id = $1";
const char* const kSetNotes = "UPDATE projects SET notes = $2 WHERE id = $1";

ProjectRow read_project(const pqxx::row& row) {
  return {.id = {row[0].as<std::int64_t>()},
          .workspace = {row[1].as<std::int64_t>()},
          .workspace_name = as_text(row[2]),
          .workspace_owner = {row[3].as<std::int64_t>()},
          .name = as_text(row[4]),
          .description = as_text(row[5]),
          .key = as_text(row[6]),
          .owner = {row[7].as<std::int64_t>()},
          .owner_name = as_text(row[8]),
          .immutable = row[9].as<bool>(),
          .archived = row[10].as<bool>(),
          .state = as_state(row[11], parse_place_state),
          .error = as_text(row[12]),
          .notes = as_json(row[13]),
          .experiments = row[14].as<std::int64_t>(),
          .active_experiments = row[15].as<std::int64_t>(),
          .trials = row[16].as<std::int64_t>(),
          .last_experiment_started_at = as_optional_time(row[17])};
}

std::string order_by(const ProjectFilter& filter) {
  const std::string way(direction(filter.order));
  const std::string by_id = "p.id" + std::string(plain_direction(filter.order));
  // Clients take the first of those that a name finds.
  const std::string first = " ORDER BY (p.name = $2) DESC, ";
  switch (filter.sort) {
    case ProjectSort::kId:
      return first + by_id;
    case ProjectSort::kName:
      return first + "lower(p.name) COLLATE \"C\"" + way + ", " + by_id;
    case ProjectSort::kDescription:
      return first + "lower(p.description) COLLATE \"C\"" + way + ", " + by_id;
    case ProjectSort::kCreationTime:
      return first + "p.created_at" + way + ", " + by_id;
    case ProjectSort::kLastExperimentStartTime:
      return first + "n.last_start" + way + ", " + by_id;
  }
  return first + by_id;
}

// "SHI7Q" of "ships"; the first `prefix` of it are the name's.
std::string key_of(const std::string& name, std::size_t prefix) {
  std::string key;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && std::isalnum(byte) != 0 && key.size() < prefix) key += static_cast<char>(std::toupper(byte));
  }
  for (const char c : random_token(64)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 && key.size() < kKeyLength) key += static_cast<char>(std::toupper(byte));
  }
  return key;
}

bool is_key_taken(pg::Transaction& tx, const std::string& key, std::int64_t except) {
  return !run_sql(tx, kKeyTaken, key, except).empty();
}

std::unexpected<Error> in_use(const char* what, const std::string& value, const char* field) {
  return fail(ErrorCode::kAlreadyExists, std::string("project ") + what + " " + value + " is already in use", field);
}

Status check_name_is_free(pg::Transaction& tx, model::WorkspaceId workspace, const std::string& name,
                          std::int64_t except) {
  if (run_sql(tx, kNameTaken, workspace.value, name, except).empty()) return {};
  return in_use("name", name, "name");
}

Result<std::string> free_key(pg::Transaction& tx, const NewProject& project) {
  if (!project.key.empty()) {
    if (is_key_taken(tx, project.key, 0)) return in_use("key", project.key, "key");
    return project.key;
  }
  for (int i = 0; i < kKeyTries; ++i) {
    // Of names that begin alike there are a thousand keys; of random letters and digits tens of millions.
    std::string key = key_of(project.name, i < kKeyTries / 2 ? kKeyPrefix : 0);
    if (!is_key_taken(tx, key, 0)) return key;
  }
  return fail(ErrorCode::kAborted,
              "could not generate a unique project key for '" + project.name +
                  "': give it one of your own, of up to 5 letters and digits",
              "key");
}

template <typename Key>
Result<std::optional<ProjectRow>> find_one(pg::Transaction& tx, const char* where, const Key& key) {
  const pqxx::result found = run_sql(tx, std::string(kColumns) + kFrom + kCounts + where, key);
  if (found.empty()) return std::nullopt;
  return read_project(found[0]);
}

}  // namespace

Task<Result<Paged<ProjectRow>>> ProjectStore::list(ProjectFilter filter) {
  auto body = [f = std::move(filter)](pg::Transaction& tx) -> Result<Paged<ProjectRow>> {
    std::optional<std::int64_t> workspace;
    if (f.workspace) workspace = f.workspace->value;
    const auto select = [&](const std::string& sql, auto&&... more) {
      return run_sql(tx, sql, workspace, f.name, f.archived, text_array(f.users), id_array(f.user_ids),
                     id_array_or_null(f.visible), more...);
    };
    Paged<ProjectRow> page;
    page.total = select(std::string("SELECT count(*)") + kFrom + kMatching)[0][0].template as<std::int64_t>();
    const auto offset = page_offset(f.page, page.total);
    DET_TRY(offset);
    page.offset = *offset;
    // What is counted is counted for the page, unless it decides what is on it.
    const bool is_by_experiments = f.sort == ProjectSort::kLastExperimentStartTime;
    const std::string ids = std::string("SELECT p.id") + kFrom + (is_by_experiments ? kCounts : "") + kMatching +
                            order_by(f) + " LIMIT $7::bigint OFFSET $8::bigint";
    for (const auto& row :
         select(std::string(kColumns) + kFrom + kCounts + "WHERE p.id = ANY(ARRAY(" + ids + "))" + order_by(f),
                page_limit(f.page), page.offset)) {
      page.items.push_back(read_project(row));
    }
    return page;
  };
  co_return co_await pool_.read("list projects", std::move(body));
}

Task<Result<std::optional<ProjectRow>>> ProjectStore::find(model::ProjectId id) {
  auto body = [id](pg::Transaction& tx) { return find_one(tx, kById, id.value); };
  co_return co_await pool_.read("find project", std::move(body));
}

Task<Result<std::optional<ProjectRow>>> ProjectStore::find_by_key(std::string key) {
  auto body = [key](pg::Transaction& tx) { return find_one(tx, kByKey, key); };
  co_return co_await pool_.read("find project", std::move(body));
}

Task<Result<std::optional<ProjectStore::Owners>>> ProjectStore::owners(model::ProjectId id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::optional<Owners>> {
    const pqxx::result found = run_sql(tx, kOwners, id.value);
    if (found.empty()) return std::nullopt;
    return Owners{.project = {found[0][0].as<std::int64_t>()}, .workspace = {found[0][1].as<std::int64_t>()}};
  };
  co_return co_await pool_.read("find a project's owners", std::move(body));
}

Task<Result<model::ProjectId>> ProjectStore::create(NewProject project) {
  auto body = [p = std::move(project)](pg::Transaction& tx) -> Result<model::ProjectId> {
    DET_TRY(lock_open_workspace(tx, p.workspace));
    DET_TRY(check_name_is_free(tx, p.workspace, p.name, 0));
    const auto key = free_key(tx, p);
    DET_TRY(key);
    const pqxx::row made = run_sql1(tx, kInsert, p.workspace.value, p.name, p.description, *key, p.owner.value);
    return model::ProjectId{made[0].as<std::int64_t>()};
  };
  co_return co_await pool_.write_once("create project", std::move(body));
}

Task<Status> ProjectStore::change(model::ProjectId id, ProjectChange change) {
  auto body = [id, c = std::move(change)](pg::Transaction& tx) -> Status {
    const auto facts = lock_project(tx, id);
    DET_TRY(facts);
    const std::string what = "project (" + to_string(id) + ") is ";
    if (facts->archived || facts->is_workspace_archived) {
      return fail(ErrorCode::kFailedPrecondition, what + "archived and cannot have attributes updated");
    }
    if (facts->immutable) {
      return fail(ErrorCode::kFailedPrecondition, what + "immutable and cannot have attributes updated");
    }
    if (c.name) DET_TRY(check_name_is_free(tx, facts->workspace, *c.name, id.value));
    if (c.key && is_key_taken(tx, *c.key, id.value)) return in_use("key", *c.key, "key");
    run_sql(tx, kChange, id.value, c.name, c.description, c.key);
    return {};
  };
  co_return co_await pool_.write("change project", std::move(body));
}

Task<Status> ProjectStore::set_archived(model::ProjectId id, bool archived) {
  auto body = [id, archived](pg::Transaction& tx) -> Status {
    const auto facts = lock_project(tx, id);
    DET_TRY(facts);
    if (facts->is_workspace_archived) {
      return fail(ErrorCode::kFailedPrecondition,
                  "This project belongs to an archived workspace. To make changes, first unarchive the workspace.");
    }
    if (facts->immutable) {
      return fail(ErrorCode::kFailedPrecondition, "project (" + to_string(id) + ") is not " +
                                                      (archived ? "archive" : "unarchive") + "-able by this user");
    }
    run_sql(tx, kSetArchived, id.value, archived);
    return {};
  };
  co_return co_await pool_.write("archive project", std::move(body));
}

Task<Status> ProjectStore::move(model::ProjectId id, model::WorkspaceId to) {
  auto body = [id, to](pg::Transaction& tx) -> Status {
    DET_TRY(lock_open_workspace(tx, to));
    const auto facts = lock_project(tx, id);
    DET_TRY(facts);
    if (facts->workspace == to) return {};
    if (facts->immutable || facts->archived || facts->is_workspace_archived || facts->state == PlaceState::kDeleting) {
      return fail(ErrorCode::kFailedPrecondition,
                  "project (" + to_string(id) + ") does not exist or not moveable by this user");
    }
    if (!check_name_is_free(tx, to, facts->name, id.value)) {
      return fail(ErrorCode::kAlreadyExists,
                  "project with name '" + facts->name + "' already exists in target workspace", "name");
    }
    run_sql(tx, kMove, id.value, to.value);
    return {};
  };
  co_return co_await pool_.write("move project", std::move(body));
}

Task<Result<nlohmann::json>> ProjectStore::set_notes(model::ProjectId id, nlohmann::json notes, bool adds) {
  auto body = [id, notes = std::move(notes), adds](pg::Transaction& tx) -> Result<nlohmann::json> {
    DET_TRY(lock_project(tx, id));
    nlohmann::json all = adds ? as_json(run_sql1(tx, kNotes, id.value)[0]) : nlohmann::json::array();
    for (const nlohmann::json& note : notes) all.push_back(note);
    const std::string text = json_text(all);
    if (text.size() > kLongestNotes) {
      return fail(ErrorCode::kInvalidArgument, "the notes of a project are at most 1 MiB together", "notes");
    }
    run_sql(tx, kSetNotes, id.value, text);
    return all;
  };
  if (adds) co_return co_await pool_.write_once("add a project's note", std::move(body));
  co_return co_await pool_.write("set a project's notes", std::move(body));
}

}  // namespace det::store
