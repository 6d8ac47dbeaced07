#pragma once

// Tasks that people start one by one, and their runs. Belongs to the io thread; Pool outlives it. Functions with an
// epoch refuse that of an earlier leader. A change of state, and the start of a run, notify kTaskChannel.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pg/pool.h"
#include "store/cluster/epoch.h"
#include "store/tasks/task_rows.h"

namespace det::store {

class TaskStore {
 public:
  explicit TaskStore(pg::Pool& pool) : pool_(pool) {}

  // Or the row that an earlier try made: the same nonce or the same uid. Below another task only as check_parent()
  // says.
  Task<Result<TaskRow>> insert(NewTask task);
  // The row that REST made before its object. kNotFound for an unknown nonce, kFailedPrecondition when the row is
  // another object's.
  Task<Result<TaskRow>> adopt(std::string nonce, std::string uid, std::string ns, std::string name);
  // The object could not be made: the row goes, unless an object has adopted it.
  Task<Status> discard(std::string nonce);

  Task<Result<std::optional<TaskRow>>> find(std::string id);
  Task<Result<std::optional<TaskRow>>> find_by_uid(std::string uid);
  Task<Result<std::optional<TaskRun>>> run_of(std::string id);
  // By start, the latest last. Without what was submitted, and of each configuration only resources.resource_pool and
  // idle_timeout: a day's configurations can be gigabytes.
  Task<Result<std::vector<TaskRun>>> list(TaskFilter filter);
  // All that have not ended.
  Task<Result<std::vector<TaskRun>>> open();
  // How many have a run that is RUNNING, by type.
  Task<Result<std::map<std::string, std::int64_t>>> count_running();

  // The run after the current one, or the current one again after a crash: then the tokens are replaced.
  Task<Status> start_run(Epoch epoch, std::string id, NewRun run);
  // Once per run; a failure of the infrastructure is counted.
  Task<Status> record_exit(Epoch epoch, std::string id, TrialExit exit);
  // Task and run in one transaction. True when it had not ended before.
  Task<Result<bool>> end(Epoch epoch, std::string id, TaskEnd end);
  Task<Status> set_priority(std::string id, int priority);
  // The same, because its object says so.
  Task<Status> follow_priority(Epoch epoch, std::string id, int priority);
  Task<Status> set_description(std::string id, std::string description);
  // A notebook says that its programs are in use.
  Task<Status> note_active(std::string id, WallTime at);
  // Between ACTIVE and PAUSED. True when it was the other one.
  Task<Result<bool>> set_paused(Epoch epoch, std::string id, bool is_paused);
  Task<Result<InfraFailures>> infra_failures(std::string id, WallTime since);

 private:
  pg::Pool& pool_;
};

// TaskStore::insert inside someone's transaction.
[[nodiscard]] Result<TaskRow> insert_task(pg::Transaction& tx, const NewTask& task);

}  // namespace det::store
