#include "store/cluster/job_store.h"

#include <algorithm>
#include <iterator>

#include "base/uuid.h"
#include "model/states.h"
#include "store/experiments/experiment_pool.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Settings that were changed since acceptance win. 50 is what the configuration's schema gives.
const char* const kPriority = "coalesce((e.live ->> 'priority')::int, (e.config #>> '{resources,priority}')::int, 50)";
// As place_of_submission() of store/cluster/queue_place.h.
const char* const kPlace =
    "coalesce(e.queue_place, (extract(epoch FROM e.start_time) * 1000000)::bigint * 1024) AS place";

// Paused ones count while they hold something, so that they are found by what is held: a cluster may have thousands.
// Indexes experiments_listed, allocations_open, trials_experiment, allocations_trial, allocation_resources_pkey.
const char* const kQueue =
    "coalesce((e.live ->> 'weight')::float8, (e.config #>> '{resources,weight}')::float8, 1), e.job_id, e.id, e.name, "
    "e.owner_id, u.username, p.workspace_id, e.progress, e.start_time, "
    // Of thousands of trials that will never fit it is more than what clients read.
    "least(coalesce((e.config #>> '{resources,slots_per_trial}')::int, 1) * greatest(wanted.trials, 1), "
    "2147483647)::int, "
    "coalesce(held.slots, 0), held.pods > 0 "
    "FROM experiments e JOIN users u ON u.id = e.owner_id JOIN projects p ON p.id = e.project_id "
    "LEFT JOIN LATERAL (SELECT count(*) AS trials FROM trials t WHERE t.experiment_id = e.id AND t.end_time IS NULL) "
    "wanted ON true "
    "LEFT JOIN LATERAL (SELECT sum(r.slots)::int AS slots, count(*) AS pods FROM trials t "
    " JOIN allocations a ON a.trial_id = t.id JOIN allocation_resources r ON r.allocation_id = a.id "
    " WHERE t.experiment_id = e.id AND a.ended_at IS NULL AND r.node <> '') held ON true "
    "WHERE e.id = ANY(ARRAY(SELECT id FROM experiments WHERE state = ANY($1::text[]) AND state <> 'PAUSED' "
    "UNION SELECT t.experiment_id FROM allocations a JOIN trials t ON t.id = a.trial_id WHERE a.ended_at IS NULL)) "
    "AND NOT e.unmanaged AND e.state = ANY($1::text[]) AND (e.state <> 'PAUSED' OR held.pods > 0) ORDER BY 1 DESC, "
    "place, e.id";

// Index standalone_tasks_open.
const char* const kTaskQueue =
    "SELECT coalesce(s.priority, (s.config #>> '{resources,priority}')::int, 50), "
    "coalesce(s.config #>> '{resources,resource_pool}', ''), s.job_id, k.id, k.type, s.description, s.owner_id, "
    "u.username, s.workspace_id, k.start_time, coalesce((s.config #>> '{resources,slots}')::int, 0), "
    "coalesce(held.slots, 0), held.pods > 0, "
    "coalesce(s.queue_place, (extract(epoch FROM k.start_time) * 1000000)::bigint * 1024) AS place, s.task_number "
    "FROM standalone_tasks s JOIN tasks k ON k.number = s.task_number "
    "JOIN users u ON u.id = s.owner_id LEFT JOIN LATERAL (SELECT sum(r.slots)::int AS slots, count(*) AS pods "
    " FROM allocations a JOIN allocation_resources r ON r.allocation_id = a.id WHERE a.task_number = s.task_number "
    " AND a.ended_at IS NULL AND r.node <> '') held ON true WHERE s.state = 'ACTIVE' ORDER BY 1 DESC, place, "
    "s.task_number";

const char* const kOpen =
    "SELECT coalesce(s.priority, (s.config #>> '{resources,priority}')::int, (e.live ->> 'priority')::int, "
    "(e.config #>> '{resources,priority}')::int, 50), coalesce(s.config #>> '{resources,resource_pool}', "
    "a.plan ->> 'resource_pool', e.config #>> '{resources,resource_pool}', ''), a.id, k.id, t.experiment_id, t.id, "
    "a.slots, a.created_at, r.rank, "
    "r.resources_id, r.pod_name, r.node, r.slots, r.accelerator, coalesce(e.job_id, s.job_id), "
    "coalesce(e.labels, '[]'::jsonb), s.description, coalesce(p.workspace_id, s.workspace_id) "
    "FROM allocations a JOIN tasks k ON k.number = a.task_number LEFT JOIN trials t ON t.id = a.trial_id "
    "LEFT JOIN experiments e ON e.id = t.experiment_id LEFT JOIN standalone_tasks s ON s.task_number = a.task_number "
    "LEFT JOIN projects p ON p.id = e.project_id LEFT JOIN allocation_resources r ON r.allocation_id = a.id "
    "WHERE a.ended_at IS NULL AND NOT coalesce(e.unmanaged, false) AND (t.id IS NOT NULL OR s.task_number IS NOT NULL) "
    "ORDER BY a.created_at, a.id, r.rank";

// Indexes experiments_job, standalone_tasks_job.
const char* const kByJob = "SELECT id FROM experiments WHERE job_id = $1::uuid";
const char* const kTaskByJob =
    "SELECT k.id FROM standalone_tasks s JOIN tasks k ON k.number = s.task_number WHERE s.job_id = $1::uuid";

// Those that are not over.
std::string unfinished() {
  using State = model::ExperimentState;
  return word_array(std::vector{State::kActive, State::kPaused, State::kStoppingCompleted, State::kStoppingCanceled,
                                State::kStoppingKilled, State::kStoppingError});
}

std::string select(const char* rest) {
  return std::string("SELECT ") + kPriority + ", coalesce(" + kPoolOfExperiment + ", ''), " + kPlace + ", " + rest;
}

JobRow read_job(const pqxx::row& row) {
  return {.job_id = as_text(row[4]),
          .experiment = model::ExperimentId{row[5].as<std::int64_t>()},
          .task_id = {},
          .title = as_text(row[6]),
          .owner = {row[7].as<std::int64_t>()},
          .username = as_text(row[8]),
          .workspace = {row[9].as<std::int64_t>()},
          .resource_pool = as_text(row[1]),
          .priority = row[0].as<int>(),
          .place = row[2].as<std::int64_t>(),
          .weight = row[3].as<double>(),
          .progress = as_optional<double>(row[10]),
          .start_time = as_time(row[11]),
          .requested_slots = row[12].as<int>(),
          .allocated_slots = row[13].as<int>(),
          .is_scheduled = row[14].as<bool>()};
}

JobRow read_task_job(const pqxx::row& row) {
  return {.job_id = as_text(row[2]),
          .experiment = std::nullopt,
          .task_id = as_text(row[3]),
          .task_number = row[14].as<std::int64_t>(),
          .type = as_text(row[4]),
          .title = as_text(row[5]),
          .owner = {row[6].as<std::int64_t>()},
          .username = as_text(row[7]),
          .workspace = {row[8].as<std::int64_t>()},
          .resource_pool = as_text(row[1]),
          .priority = row[0].as<int>(),
          .place = row[13].as<std::int64_t>(),
          .weight = 1,
          .progress = std::nullopt,
          .start_time = as_time(row[9]),
          .requested_slots = row[10].as<int>(),
          .allocated_slots = row[11].as<int>(),
          .is_scheduled = row[12].as<bool>()};
}

template <typename Id>
std::optional<Id> optional_id(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return Id{field.as<std::int64_t>()};
}

OpenAllocation read_open(const pqxx::row& row) {
  return {.id = as_text(row[2]),
          .task_id = as_text(row[3]),
          .experiment = optional_id<model::ExperimentId>(row[4]),
          .trial = optional_id<model::TrialId>(row[5]),
          .title = row[16].is_null() ? std::string() : as_text(row[16]),
          .workspace = {row[17].as<std::int64_t>()},
          .slots = row[6].as<int>(),
          .priority = row[0].as<int>(),
          .resource_pool = as_text(row[1]),
          .created_at = as_time(row[7]),
          .job_id = as_text(row[14]),
          .labels = as_json(row[15]).get<std::vector<std::string>>(),
          .resources = {}};
}

ResourceRow read_resource(const pqxx::row& row) {
  return {.rank = row[8].as<int>(),
          .resources_id = as_text(row[9]),
          .pod_name = as_text(row[10]),
          .node = as_text(row[11]),
          .ip = {},
          .slots = row[12].as<int>(),
          .daemon = false,
          .accelerator = as_json(row[13])};
}

}  // namespace

std::vector<JobRow> read_queue(pg::Transaction& tx) {
  std::vector<JobRow> jobs;
  for (const auto& row : run_sql(tx, select(kQueue), unfinished())) jobs.push_back(read_job(row));
  std::vector<JobRow> tasks;
  for (const auto& row : run_sql(tx, kTaskQueue)) tasks.push_back(read_task_job(row));
  if (tasks.empty()) return jobs;
  std::vector<JobRow> queue;
  std::ranges::merge(std::move(jobs), std::move(tasks), std::back_inserter(queue),
                     [](const JobRow& a, const JobRow& b) {
                       return a.priority != b.priority ? a.priority > b.priority : a.place < b.place;
                     });
  return queue;
}

Task<Result<std::vector<JobRow>>> JobStore::queue() {
  auto body = [](pg::Transaction& tx) -> Result<std::vector<JobRow>> { return read_queue(tx); };
  co_return co_await pool_.read("list jobs", std::move(body));
}

Task<Result<std::vector<OpenAllocation>>> JobStore::open_allocations() {
  auto body = [](pg::Transaction& tx) -> Result<std::vector<OpenAllocation>> {
    std::vector<OpenAllocation> open;
    for (const auto& row : run_sql(tx, kOpen)) {
      if (open.empty() || open.back().id != row[2].c_str()) open.push_back(read_open(row));
      if (!row[8].is_null()) open.back().resources.push_back(read_resource(row));
    }
    return open;
  };
  co_return co_await pool_.read("list open allocations", std::move(body));
}

Task<Result<JobStore::JobOf>> JobStore::find(std::string job_id) {
  if (!is_uuid(job_id)) co_return JobOf();
  auto body = [job_id](pg::Transaction& tx) -> Result<JobOf> {
    const pqxx::result experiment = run_sql(tx, kByJob, job_id);
    if (!experiment.empty())
      return JobOf{.experiment = model::ExperimentId{experiment[0][0].as<std::int64_t>()}, .task_id = {}};
    const pqxx::result task = run_sql(tx, kTaskByJob, job_id);
    return JobOf{.experiment = std::nullopt, .task_id = task.empty() ? std::string() : as_text(task[0][0])};
  };
  co_return co_await pool_.read("find job", std::move(body));
}

}  // namespace det::store
