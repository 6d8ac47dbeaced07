#include "store/cluster/queue_place_store.h"

#include <algorithm>

#include "store/channels.h"
#include "store/cluster/queue_place.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Two that move jobs at once would give the same place to both. The number is of this lock only.
const char* const kLock = "SELECT pg_advisory_xact_lock(7306040)";
// Indexes experiments_placed and standalone_tasks_placed.
const char* const kExperimentPlaces =
    "SELECT id, queue_place FROM experiments WHERE queue_place IS NOT NULL AND end_time IS NULL";
const char* const kTaskPlaces =
    "SELECT task_number, queue_place FROM standalone_tasks WHERE queue_place IS NOT NULL AND state = 'ACTIVE'";
const char* const kPlaceExperiment = "UPDATE experiments SET queue_place = $2 WHERE id = $1";
const char* const kPlaceTask = "UPDATE standalone_tasks SET queue_place = $2 WHERE task_number = $1";

bool is_it(const JobRow& row, const JobStore::JobOf& job) {
  return job.experiment ? row.experiment == job.experiment : !row.experiment && row.task_id == job.task_id;
}

std::string name_of(const JobStore::JobOf& job) {
  return job.experiment ? "experiment " + to_string(*job.experiment) : "task " + job.task_id;
}

void set_place(pg::Transaction& tx, const JobRow& job, std::int64_t place) {
  if (job.experiment) {
    run_sql(tx, kPlaceExperiment, job.experiment->value, place);
  } else {
    run_sql(tx, kPlaceTask, job.task_number, place);
  }
}

Result<JobRow> take(std::vector<JobRow>& queue, const JobStore::JobOf& job) {
  const auto found = std::ranges::find_if(queue, [&](const JobRow& row) { return is_it(row, job); });
  if (found == queue.end()) {
    return fail(ErrorCode::kFailedPrecondition, name_of(job) + " is not in the queue: it is paused, or it has ended");
  }
  JobRow row = *found;
  queue.erase(found);
  return row;
}

}  // namespace

Task<Result<JobPlaces>> QueuePlaceStore::places() {
  auto body = [](pg::Transaction& tx) -> Result<JobPlaces> {
    JobPlaces places;
    for (const auto& row : run_sql(tx, kExperimentPlaces)) {
      places.experiments.emplace(model::ExperimentId{row[0].as<std::int64_t>()}, row[1].as<std::int64_t>());
    }
    for (const auto& row : run_sql(tx, kTaskPlaces)) {
      places.tasks.emplace(row[0].as<std::int64_t>(), row[1].as<std::int64_t>());
    }
    return places;
  };
  co_return co_await pool_.read("read places in the queue", std::move(body));
}

Task<Status> QueuePlaceStore::move(JobStore::JobOf moved, Side side, JobStore::JobOf anchor) {
  auto body = [moved, side, anchor](pg::Transaction& tx) -> Status {
    run_sql(tx, kLock);
    std::vector<JobRow> queue = read_queue(tx);
    const auto job = take(queue, moved);
    DET_TRY(job);
    const auto beside = std::ranges::find_if(queue, [&](const JobRow& row) { return is_it(row, anchor); });
    if (beside == queue.end()) {
      return fail(ErrorCode::kFailedPrecondition,
                  name_of(anchor) + " is not in the queue: it is paused, or it has ended");
    }
    const int priority = beside->priority;  // the rows move below
    if (priority != job->priority) {
      return fail(ErrorCode::kFailedPrecondition, name_of(moved) + " has the priority " +
                                                      std::to_string(job->priority) + " and " + name_of(anchor) + " " +
                                                      std::to_string(priority));
    }
    std::erase_if(queue, [&](const JobRow& row) { return row.priority != priority; });
    std::vector<std::int64_t> places;
    std::size_t at = 0;
    for (const JobRow& row : queue) {
      if (is_it(row, anchor)) at = places.size() + (side == Side::kBehind ? 1 : 0);
      places.push_back(row.place);
    }
    const Room room = make_room(places, at);
    set_place(tx, *job, room.place);
    for (const auto& [index, place] : room.moved_on) set_place(tx, queue[index], place);
    notify(tx, kQueueChannel, "");
    return {};
  };
  // Those that wait for the lock would hold all connections meanwhile.
  const auto turn = co_await moves_.wait({});
  co_return co_await pool_.write("move a job in the queue", std::move(body));
}

}  // namespace det::store
