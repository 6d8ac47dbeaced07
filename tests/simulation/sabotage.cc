#include "tests/simulation/sabotage.h"

#include <utility>

namespace det::simulation {
namespace {

Sabotage broken(std::string name, const char* scenario, std::string noticed, Broken what) {
  Sabotage sabotage{.name = std::move(name), .scenario = *find_scenario(scenario), .noticed = std::move(noticed)};
  sabotage.scenario.broken = std::move(what);
  return sabotage;
}

}  // namespace

std::vector<Sabotage> sabotages() {
  std::vector<Sabotage> list;
  list.push_back(broken("one pod of a gang is never bound, and nobody withdraws it", "gang", "half of the gang of",
                        {.never_binds_rank = 3, .sql = {}, .sql_at_end = {}, .bind_timeout = std::chrono::hours(1)}));
  list.push_back(broken("a container outlives its pod", "restart", "runs twice at once",
                        {.containers_outlive_pods = true, .sql = {}, .sql_at_end = {}}));
  list.push_back(broken("nobody collects Secrets", "delete", "is nobody's",
                        {.collects_no_garbage = true, .sql = {}, .sql_at_end = {}}));
  list.push_back(broken("a run number falls", "single", "went back from run",
                        {.sql = "UPDATE trials SET run = 0", .sql_at_end = {}}));
  list.push_back(broken("a second allocation is open", "single", "has two open allocations",
                        {.sql = "INSERT INTO allocations (id, task_number, trial_id, run, state, slots, owner_id, "
                                "token_hash, user_token_hash) SELECT id || 'x', task_number, trial_id, run + 7, state, "
                                "slots, owner_id, token_hash || 'x'::bytea, user_token_hash || 'x'::bytea FROM "
                                "allocations",
                         .sql_at_end = {}}));
  list.push_back(broken("an allocation is opened again", "single", "has an open allocation at the end",
                        {.sql = {}, .sql_at_end = "UPDATE allocations SET ended_at = NULL"}));
  list.push_back(broken("a report is lost", "single", "is lost",
                        {.sql = {}, .sql_at_end = "DELETE FROM metrics WHERE steps = 2"}));
  list.push_back(
      broken("a report is there twice", "single", "is there 2 times",
             {.sql = {},
              .sql_at_end = "WITH n AS (INSERT INTO metric_names (hash, names) VALUES ('x', '{other}') RETURNING id), "
                            "s AS (INSERT INTO series (trial_id, run, grp, names_id) SELECT trial_id, run, grp, n.id "
                            "FROM series, n WHERE grp = 'training' RETURNING id) "
                            "INSERT INTO metrics (time, series_id, steps, values) SELECT virtual.now(), id, 2, '{1}' "
                            "FROM s"}));
  list.push_back(broken("a checkpoint is lost", "single", "the acknowledged checkpoint",
                        {.sql = {}, .sql_at_end = "DELETE FROM checkpoints WHERE steps = 2"}));
  list.push_back(broken("a decision of the log is another one", "single", "does not replay",
                        {.sql = {}, .sql_at_end = "UPDATE searcher_events SET decisions = '[]' WHERE seq = 1"}));
  list.push_back(
      broken("each write is made nine times", "single", "it wrote", {.writes_each = 9, .sql = {}, .sql_at_end = {}}));
  list.push_back(broken("a trial ends otherwise", "single", "another outcome",
                        {.sql = {}, .sql_at_end = "UPDATE trials SET restarts = 1"}));
  list.push_back(broken("it never ends", "single", "it has not ended",
                        {.sql = "UPDATE cluster SET epoch = 9223372036854775807", .sql_at_end = {}}));
  return list;
}

}  // namespace det::simulation
