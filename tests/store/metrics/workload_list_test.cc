// A page of workloads holds what all of them in their order, cut, would: reports with two sets of names, runs that went
// back to a checkpoint, checkpoints of the same steps.

#include "store/metrics/workload_list.h"

#include "store/sql.h"
#include "tests/store/fixture.h"
#include "tests/store/pages.h"

namespace det::store {
namespace {

struct WorkloadList : StoreTest {
  WorkloadList() : trial(started_trial()) {
    const Epoch epoch = must(cluster.load_or_create()).epoch;
    must(trials.start_run(epoch, trial.id, new_run(2, "02", 20)));  // 21... of the first run are invisible
    must(trials.start_run(epoch, trial.id, new_run(3, "03", 12)));
    sql("INSERT INTO metric_names (hash, names) VALUES ('a', '{a}'), ('b', '{b}')");
    // Both sets of names in training; validation has one.
    sql("INSERT INTO series (trial_id, run, grp, names_id) SELECT t.id, r, g, n.id FROM trials t, metric_names n, "
        "generate_series(1, 3) r, unnest('{training,validation,other}'::text[]) g "
        "WHERE g <> 'validation' OR n.names = '{a}'");
    sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[i] FROM series s, "
        "generate_series(s.names_id, 30, s.names_id + 1) i");
    sql("INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
        "resources, size) SELECT gen_random_uuid(), task_number, id, '', now(), 'COMPLETED', i / 2, '{}', '{}', 0 "
        "FROM trials, generate_series(2, 40) i");
  }

  // All that `query` asks for, by another road.
  std::vector<std::string> slow(const WorkloadQuery& query) {
    const std::string way(direction(query.order));
    const std::string kinds = std::string(query.training ? "'training'," : "") +
                              (query.validation ? "'validation'," : "") + (query.checkpoints ? "'x'" : "''");
    return split(sql("SELECT string_agg(grp || '.' || run || '.' || steps || uuid, ' ' ORDER BY steps" + way + ", grp" +
                     way + ", run" + way +
                     ", uuid) FROM (SELECT DISTINCT s.grp, s.run, m.steps, '' AS uuid FROM "
                     "visible_series s JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps UNION ALL "
                     "SELECT 'x', 0, steps, '.' || uuid FROM checkpoints) w WHERE grp IN (" +
                     kinds + ")"));
  }
  static std::string name(const WorkloadRow& row) {
    if (row.checkpoint) return "x.0." + std::to_string(row.checkpoint->steps) + "." + row.checkpoint->uuid;
    return row.metrics->group + "." + std::to_string(row.metrics->run) + "." + std::to_string(row.metrics->steps);
  }

  TrialRow trial;
};

TEST_F(WorkloadList, HasThePagesOfTheWholeList) {
  for (int kinds = 0; kinds < 8; ++kinds) {
    for (const Order order : {Order::kAscending, Order::kDescending}) {
      WorkloadQuery query{.trial = trial.id,
                          .training = (kinds & 1) != 0,
                          .validation = (kinds & 2) != 0,
                          .checkpoints = (kinds & 4) != 0,
                          .order = order,
                          .page = {}};
      const std::vector<std::string> all = slow(query);
      for (const Page& page : kPages) {
        if (page.offset > std::ssize(all)) continue;
        query.page = page;
        const auto found = must(metrics.workloads(query));
        std::string names;
        for (const WorkloadRow& row : found.items) names += name(row) + " ";
        EXPECT_EQ(names, cut(all, page)) << kinds << direction(order) << " from " << page.offset;
        EXPECT_EQ(found.total, std::ssize(all));
      }
      query.page = {.offset = std::ssize(all) + 1, .limit = 1};
      const auto after = must(metrics.workloads(query));
      EXPECT_TRUE(after.items.empty());
      EXPECT_EQ(after.offset, after.total);
    }
  }
}

TEST_F(WorkloadList, IsSortedByAMetricAndLeavesOutDeletedCheckpoints) {
  sql("UPDATE metrics SET values = ARRAY[-steps]");
  sql("UPDATE checkpoints SET state = 'DELETED' WHERE steps > 5");
  WorkloadQuery query{.trial = trial.id, .training = false, .order = Order::kAscending, .sort_metric = "a", .page = {}};
  query.deleted_checkpoints = false;
  const auto found = must(metrics.workloads(query));
  ASSERT_EQ(found.total, std::ssize(found.items));
  std::vector<std::int64_t> values;
  std::int64_t checkpoints = 0;
  for (const WorkloadRow& row : found.items) {
    if (row.metrics) {
      EXPECT_EQ(checkpoints, 0) << "what has no metric comes last";
      values.push_back(row.metrics->metrics["a"].get<std::int64_t>());
    } else {
      EXPECT_LE(row.checkpoint->steps, 5);
      ++checkpoints;
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(values));
  EXPECT_EQ(checkpoints, 10);
  query.sort_metric = "none";
  EXPECT_EQ(must(metrics.workloads(query)).total, found.total);
}

}  // namespace
}  // namespace det::store
