// A page of experiments holds what the whole list in its order, cut, would: ties and NULLs included.

#include "store/experiments/experiment_list.h"

#include <map>

#include "store/sql.h"
#include "tests/store/fixture.h"
#include "tests/store/pages.h"

namespace det::store {
namespace {

using Sort = ExperimentSort;

const std::string kCheckpointsOf =
    " FROM trials t JOIN checkpoints c ON c.trial_id = t.id WHERE t.experiment_id = e.id AND c.state <> 'DELETED')";
// Each order as one expression of `e` that is worked out for every experiment.
const std::map<Sort, std::string> kSlow = {
    {Sort::kId, "e.id"},
    {Sort::kDescription, "e.description"},
    {Sort::kName, "e.name"},
    {Sort::kStartTime, "e.start_time"},
    {Sort::kEndTime, "e.end_time"},
    {Sort::kState, "e.state"},
    {Sort::kNumTrials, "(SELECT count(*) FROM trials t WHERE t.experiment_id = e.id)"},
    {Sort::kProgress, "coalesce(e.progress, 0)"},
    {Sort::kUser, "(SELECT coalesce(nullif(display_name, ''), username) FROM users u WHERE u.id = e.owner_id)"},
    {Sort::kForkedFrom, "e.parent_id"},
    {Sort::kResourcePool, "e.config #>> '{resources,resource_pool}'"},
    {Sort::kProjectId, "e.project_id"},
    {Sort::kCheckpointSize, "(SELECT coalesce(sum(c.size), 0)" + kCheckpointsOf},
    {Sort::kCheckpointCount, "(SELECT count(*)" + kCheckpointsOf},
    {Sort::kSearcherMetric,
     "(SELECT min(t.best_rank) * CASE WHEN e.smaller_is_better THEN 1 ELSE -1 END FROM trials t "
     "WHERE t.experiment_id = e.id)"},
};

struct ExperimentList : StoreTest {
  ExperimentList() {
    sql("INSERT INTO users (username, display_name) VALUES ('ann', 'Zoe'), ('bob', '')");
    sql("INSERT INTO projects (workspace_id, name, owner_id) VALUES (1, 'second', 1)");
    sql("INSERT INTO experiments (nonce, owner_id, project_id, parent_id, state, config, original_config, config_hash, "
        "name, description, labels, context_kind, archived, progress, start_time, end_time) "
        "SELECT gen_random_uuid(), 1 + i % 4, (SELECT CASE WHEN i % 5 = 0 THEN max(id) ELSE min(id) END FROM "
        "projects), "
        "CASE WHEN i > 9 AND i % 3 = 0 THEN i % 4 + 1 END, (ARRAY['ACTIVE', 'PAUSED', 'COMPLETED'])[1 + i % 3], "
        "jsonb_build_object('resources', CASE WHEN i % 2 = 0 THEN '{\"resource_pool\": \"gpus\"}' ELSE '{}' "
        "END::jsonb, "
        "'searcher', jsonb_build_object('smaller_is_better', i % 2 = 0)), '', '', 'N' || i % 6, 'd' || i % 7, "
        "CASE WHEN i % 4 = 0 THEN '[\"a\", \"b\"]' ELSE '[]' END::jsonb, 'none', i % 6 = 0, "
        "(ARRAY[0.5, NULL, 0, 1])[1 + i % 4], to_timestamp(1e9 + i * 7 % 13), "
        "CASE WHEN i % 3 > 0 THEN to_timestamp(1e9 + i % 5) END FROM generate_series(1, 50) i");
    sql("INSERT INTO tasks (id, type) SELECT 't' || i, 'TRIAL' FROM generate_series(1, 120) i");
    sql("INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, best_metric, best_rank) "
        "SELECT e.id, gen_random_uuid(), k.number, 'ACTIVE', '{}', 1, v.metric, "
        "CASE WHEN e.smaller_is_better THEN v.metric ELSE -v.metric END FROM tasks k "
        "JOIN experiments e ON e.id = 1 + k.number % 40 CROSS JOIN LATERAL "
        "(SELECT (ARRAY[1, NULL, 2.5, -1]::float8[])[1 + k.number * 7 % 4] AS metric) v");
    sql("INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
        "resources, size) SELECT gen_random_uuid(), t.task_number, t.id, '', now(), "
        "(ARRAY['COMPLETED', 'DELETED'])[1 + t.id % 2], 1, '{}', '{}', t.id % 3 FROM trials t");
  }

  // All of them in the order of `filter`, by another road.
  std::vector<std::string> slow(const ExperimentFilter& filter, const std::string& where) {
    const std::string way(direction(filter.order));
    return split(sql("SELECT string_agg(e.id::text, ' ' ORDER BY " + kSlow.at(filter.sort) + way + ", e.id" + way +
                     ") FROM experiments e WHERE " + where));
  }
};

TEST_F(ExperimentList, HasThePagesOfTheWholeList) {
  using State = model::ExperimentState;
  ExperimentFilter by_user{.archived = false, .user_ids = {{2}, {1}}};
  ExperimentFilter by_all{.states = {State::kActive, State::kCompleted}, .name = "n", .description = "D"};
  by_all.project = model::ProjectId{1};
  const std::pair<ExperimentFilter, std::string> filters[] = {
      {ExperimentFilter{}, "true"},
      {by_user, "NOT archived AND owner_id IN (1, 2)"},
      {by_all, "state IN ('ACTIVE', 'COMPLETED') AND project_id = 1"},
      {ExperimentFilter{.users = {"bob"}}, "owner_id = (SELECT id FROM users WHERE username = 'bob')"},
      {ExperimentFilter{.labels = {"b"}}, "labels @> '[\"b\"]'"},
  };
  for (const auto& [sort, expression] : kSlow) {
    for (const Order order : {Order::kAscending, Order::kDescending}) {
      for (auto [filter, where] : filters) {
        filter.sort = sort;
        filter.order = order;
        const std::vector<std::string> all = slow(filter, where);
        ASSERT_GT(all.size(), 10U) << where;
        for (const Page& page : kPages) {
          if (page.offset > std::ssize(all)) continue;
          filter.page = page;
          const auto found = must(experiments.list(filter));
          std::string ids;
          for (const auto& view : found.items) ids += to_string(view.row.id) + " ";
          EXPECT_EQ(ids, cut(all, page)) << expression << direction(order) << " of " << where << " from "
                                         << page.offset;
          EXPECT_EQ(found.total, std::ssize(all));
        }
      }
    }
  }
}

}  // namespace
}  // namespace det::store
