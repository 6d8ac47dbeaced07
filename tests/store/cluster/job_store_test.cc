#include "store/cluster/job_store.h"

#include <algorithm>
#include <cctype>

#include "tests/store/fixture.h"
#include "tests/store/pages.h"

namespace det::store {
namespace {

using Jobs = StoreTest;

// In each state one experiment that holds a pod on a node, one whose pod has no node, and one that holds nothing.
TEST_F(Jobs, AreThoseThatAreNotOverAndOfThePausedThoseThatHoldPods) {
  sql("INSERT INTO experiments (nonce, owner_id, project_id, state, config, original_config, config_hash, name, "
      "context_kind) SELECT gen_random_uuid(), 2, 1, state, jsonb_build_object('resources', jsonb_build_object("
      "'priority', 40 + length(state) % 3)), '', '', holds, 'none' FROM unnest('{ACTIVE,PAUSED,STOPPING_COMPLETED,"
      "STOPPING_CANCELED,STOPPING_KILLED,STOPPING_ERROR,COMPLETED,CANCELED,ERROR,DELETING,DELETE_FAILED,DELETED}'"
      "::text[]) state, unnest('{node,none,nothing}'::text[]) holds");
  sql("INSERT INTO tasks (id, type) SELECT id::text, 'TRIAL' FROM experiments");
  sql("INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, run) SELECT e.id, "
      "gen_random_uuid(), k.number, 'ACTIVE', '{}', 1, 1 FROM experiments e JOIN tasks k ON k.id = e.id::text");
  sql("INSERT INTO allocations (id, task_number, trial_id, run, state, slots, owner_id, token_hash, user_token_hash) "
      "SELECT 'a' || t.id, t.task_number, t.id, 1, 'RUNNING', 2, 2, sha256(('a' || t.id)::bytea), "
      "sha256(('u' || t.id)::bytea) FROM trials t JOIN experiments e ON e.id = t.experiment_id "
      "WHERE e.name <> 'nothing'");
  sql("INSERT INTO allocation_resources (allocation_id, rank, resources_id, pod_name, node, slots) SELECT a.id, r, "
      "'', '', CASE e.name WHEN 'node' THEN 'n' ELSE '' END, 1 FROM generate_series(0, 1) r, allocations a "
      "JOIN trials t ON t.id = a.trial_id JOIN experiments e ON e.id = t.experiment_id");
  const auto wanted = split(sql(
      "SELECT string_agg(id::text, ' ' ORDER BY (config #>> '{resources,priority}')::int DESC, id) FROM experiments "
      "WHERE state IN ('ACTIVE', 'STOPPING_COMPLETED', 'STOPPING_CANCELED', 'STOPPING_KILLED', 'STOPPING_ERROR') "
      "OR (state = 'PAUSED' AND name = 'node')"));
  ASSERT_EQ(wanted.size(), 16U);
  JobStore jobs(pool);
  std::vector<std::string> found;
  for (const JobRow& job : must(jobs.queue())) {
    found.push_back(job.experiment ? to_string(*job.experiment) : job.task_id);
    EXPECT_EQ(job.allocated_slots, job.title == "node" ? 2 : 0);
    EXPECT_EQ(job.is_scheduled, job.title == "node");
  }
  EXPECT_EQ(found, wanted);
}

TEST_F(Jobs, MayWantMoreSlotsThanAnybodyCounts) {
  const auto id = must(experiments.insert(experiment())).id;
  for (int i = 0; i < 3; ++i) started_trial_of(id, "0" + std::to_string(i));
  sql(R"(UPDATE experiments SET config = '{"resources": {"slots_per_trial": 1000000000}}')");
  const auto queue = must(JobStore(pool).queue());
  ASSERT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue[0].requested_slots, 2'147'483'647);
}

TEST_F(Jobs, AreFoundByTheirIdHoweverItIsWritten) {
  const ExperimentRow experiment_row = must(experiments.insert(experiment()));
  const TaskRow task = must(tasks.insert(
      {.id = uuid_v4(), .type = "COMMAND", .nonce = uuid_v4(), .owner = {2}, .config = nlohmann::json::object()}));
  const auto upper = [](std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
  };
  JobStore jobs(pool);
  using Of = JobStore::JobOf;
  for (const std::string& id : {experiment_row.job_id, upper(experiment_row.job_id)}) {
    EXPECT_EQ(must(jobs.find(id)), (Of{.experiment = experiment_row.id, .task_id = {}}));
  }
  EXPECT_EQ(must(jobs.find(upper(task.job_id))), (Of{.experiment = {}, .task_id = task.id}));
  for (const std::string& id : {std::string("nobody"), std::string(), "{" + task.job_id + "}", uuid_v4()}) {
    EXPECT_EQ(must(jobs.find(id)), Of()) << id;
  }
}

}  // namespace
}  // namespace det::store
