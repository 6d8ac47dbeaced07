#include "store/tasks/task_family_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

// Index standalone_tasks_parent. A parent exists before its children, so that there are no circles.
const char* const kDescendants =
    "WITH RECURSIVE family AS (SELECT id, number FROM tasks WHERE id = $1 UNION SELECT k.id, k.number FROM family f "
    "JOIN standalone_tasks s ON s.parent_id = f.id JOIN tasks k ON k.number = s.task_number) SELECT id FROM family "
    "ORDER BY number LIMIT 10000";
const char* const kRoot =
    "WITH RECURSIVE above AS (SELECT k.id, s.parent_id FROM tasks k JOIN standalone_tasks s ON s.task_number = "
    "k.number WHERE k.id = $1 UNION SELECT k.id, s.parent_id FROM above a JOIN tasks k ON k.id = a.parent_id JOIN "
    "standalone_tasks s ON s.task_number = k.number) SELECT id FROM above WHERE parent_id IS NULL";
const char* const kLockParent =
    "SELECT s.task_number, s.run, s.state NOT IN ('ACTIVE', 'PAUSED') FROM standalone_tasks s JOIN tasks k ON k.number "
    "= s.task_number WHERE k.id = $1 FOR SHARE OF s";
const char* const kLockParentsRun =
    "SELECT verdict IS NOT NULL AND ended_at IS NULL FROM allocations WHERE task_number = $1 AND run = $2 FOR SHARE";

}  // namespace

Status check_parent(pg::Transaction& tx, const std::string& id) {
  const pqxx::result parent = run_sql(tx, kLockParent, id);
  if (parent.empty()) return not_found("task", id);
  if (parent[0][2].as<bool>()) {
    return fail(ErrorCode::kFailedPrecondition, "task " + id + " has ended: nothing starts below it", "parentId");
  }
  const pqxx::result run = run_sql(tx, kLockParentsRun, parent[0][0].as<std::int64_t>(), parent[0][1].as<int>());
  if (run.empty() || !run[0][0].as<bool>()) return {};
  return fail(ErrorCode::kFailedPrecondition, "task " + id + " is being stopped: nothing starts below it", "parentId");
}

Task<Result<std::vector<std::string>>> TaskFamilyStore::descendants(std::string id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::vector<std::string>> {
    std::vector<std::string> ids;
    for (const auto& row : run_sql(tx, kDescendants, id)) ids.push_back(as_text(row[0]));
    return ids;
  };
  co_return co_await pool_.read("find a task's family", std::move(body));
}

Task<Result<std::string>> TaskFamilyStore::root(std::string id) {
  auto body = [id](pg::Transaction& tx) -> Result<std::string> {
    const pqxx::result found = run_sql(tx, kRoot, id);
    if (found.empty()) return not_found("task", id);
    return as_text(found[0][0]);
  };
  co_return co_await pool_.read("find a task's root", std::move(body));
}

}  // namespace det::store
