// A page of checkpoints holds what the whole list in its order, cut, would: ties and NULLs included.

#include "store/checkpoints/checkpoint_list.h"

#include <map>

#include "store/sql.h"
#include "tests/store/fixture.h"
#include "tests/store/pages.h"

namespace det::store {
namespace {

using Sort = CheckpointSort;

std::string metric_of(int place) {
  return "(SELECT m.values[" + std::to_string(place) +
         "] FROM visible_series s JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps WHERE "
         "s.trial_id = c.trial_id AND s.grp = 'validation' AND m.steps = c.steps ORDER BY s.run DESC LIMIT 1)";
}

// Each order as one expression of `c` that is worked out for every checkpoint.
const std::map<Sort, std::string> kSlow = {
    {Sort::kUuid, "c.uuid"},       {Sort::kTrialId, "c.trial_id"},
    {Sort::kSteps, "c.steps"},     {Sort::kReportTime, "c.report_time"},
    {Sort::kState, "c.state"},     {Sort::kSearcherMetric, metric_of(2)},
    {Sort::kMetric, metric_of(1)},
};

struct CheckpointList : StoreTest {
  CheckpointList() : trial(started_trial("01")) {
    started_trial_of(trial.experiment, "02");
    started_trial("03");
    sql("INSERT INTO metric_names (hash, names) VALUES ('both', '{acc,loss}')");
    sql("INSERT INTO series (trial_id, run, grp, names_id) SELECT t.id, 1, g, n.id FROM trials t, metric_names n, "
        "unnest('{training,validation}'::text[]) g");
    sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[i % 3, i % 4] "
        "FROM series s, generate_series(1, 30, 2) i");
    sql("INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
        "resources, size) SELECT gen_random_uuid(), t.task_number, t.id, '', to_timestamp(1e9 + i % 7), "
        "(ARRAY['COMPLETED', 'DELETED', 'ERROR'])[1 + i % 3], i * 2 / 3, '{}', '{}', 0 "
        "FROM trials t, generate_series(1, 60) i");
  }

  TrialRow trial;
};

TEST_F(CheckpointList, HasThePagesOfTheWholeList) {
  using State = model::CheckpointState;
  const CheckpointQuery of_trial{.trial = trial.id};
  const CheckpointQuery of_experiment{.experiment = trial.experiment, .states = {State::kCompleted, State::kError}};
  const std::pair<CheckpointQuery, std::string> queries[] = {
      {of_trial, "c.trial_id = " + to_string(trial.id)},
      {of_experiment, "c.state <> 'DELETED' AND c.trial_id IN (SELECT id FROM trials WHERE experiment_id = " +
                          to_string(trial.experiment) + ")"},
  };
  for (const auto& [sort, expression] : kSlow) {
    for (const auto order :
         {std::optional<Order>(), std::optional(Order::kAscending), std::optional(Order::kDescending)}) {
      for (auto [query, where] : queries) {
        query.sort = sort;
        query.order = order;
        if (sort == Sort::kMetric) query.metric = "acc";
        const std::string way(direction(order.value_or(Order::kAscending)));
        const std::vector<std::string> all =
            split(sql("SELECT string_agg(c.uuid::text, ' ' ORDER BY " + expression + way + ", c.report_time" + way +
                      ", c.uuid) FROM checkpoints c WHERE " + where));
        ASSERT_GT(all.size(), 50U);
        for (const Page& page : kPages) {
          query.page = page;
          const auto found = must(checkpoints.list(query));
          std::string ids;
          for (const auto& view : found.items) ids += view.row.uuid + " ";
          EXPECT_EQ(ids, cut(all, page)) << expression << way << " of " << where << " from " << page.offset;
          EXPECT_EQ(found.total, std::ssize(all));
        }
      }
    }
  }
}

}  // namespace
}  // namespace det::store
