// A page of trials holds what the whole list in its order, cut, would: ties, NULLs and numbers that are none included.

#include "store/trials/trial_list.h"

#include <algorithm>
#include <functional>
#include <map>

#include "store/sql.h"
#include "tests/store/fixture.h"
#include "tests/store/pages.h"

namespace det::store {
namespace {

constexpr int kTrials = 60;
// Each order as one expression of `t` that is worked out for every trial.
const std::map<TrialSort, std::string> kSlow = {
    {TrialSort::kId, "t.id"},
    {TrialSort::kStartTime, "t.start_time"},
    {TrialSort::kEndTime, "t.end_time"},
    {TrialSort::kState, "t.state"},
    {TrialSort::kBestMetric, "t.best_rank"},
    {TrialSort::kLatestMetric,
     "(SELECT m.values[1] FROM visible_series s JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps "
     "WHERE s.trial_id = t.id AND s.grp = 'validation' ORDER BY m.steps DESC LIMIT 1)"},
    {TrialSort::kBatches,
     "(SELECT max(m.steps) FROM visible_series s JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps "
     "WHERE s.trial_id = t.id)"},
    {TrialSort::kDuration, "coalesce(t.end_time, now()) - t.start_time"},
    {TrialSort::kRestarts, "t.restarts"},
    {TrialSort::kCheckpointSize,
     "(SELECT coalesce(sum(c.size), 0) FROM checkpoints c WHERE c.trial_id = t.id AND c.state <> 'DELETED')"},
    {TrialSort::kLogRetention, "coalesce(t.log_retention_days, 30)"},
};

struct TrialList : StoreTest {
  TrialList() : experiment_id(must(experiments.insert(experiment())).id) {
    const std::string of = " FROM trials t WHERE t.experiment_id = " + to_string(experiment_id);
    const auto count = std::to_string(kTrials);
    sql("INSERT INTO tasks (id, type) SELECT 't' || i, 'TRIAL' FROM generate_series(1, 2 * " + count + ") i");
    // Every second one is another experiment's.
    sql("INSERT INTO experiments (nonce, owner_id, project_id, state, config, original_config, config_hash, name, "
        "context_kind) SELECT gen_random_uuid(), 2, 1, 'ACTIVE', config, '', '', '', 'none' FROM experiments");
    sql("INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, restarts, start_time, "
        "end_time, best_metric, best_rank, best_steps) SELECT e.id, gen_random_uuid(), k.number, "
        "(ARRAY['ACTIVE', 'COMPLETED', 'ERROR'])[1 + k.number * 7 % 3], '{}', 1, k.number * 5 % 4, "
        "to_timestamp(1e9 + k.number * 3 % 11), CASE WHEN k.number % 3 > 0 THEN to_timestamp(1e9 + k.number % 5) END, "
        "v.metric, v.metric, 1 FROM tasks k CROSS JOIN LATERAL (SELECT "
        "(ARRAY[1, 'NaN', NULL, -0.0, 0, 'Infinity', NULL, '-Infinity', 1, -2.5]::float8[])[1 + k.number * 13 % 10] "
        "AS metric) v JOIN experiments e ON (e.id = " +
        to_string(experiment_id) + ") = (k.number % 2 = 0)");
    sql("UPDATE trials SET log_retention_days = nullif(task_number % 4, 0) * 20 RETURNING id");
    sql("UPDATE experiments SET config = config || '{\"retention_policy\": {\"log_retention_days\": 30}}' RETURNING "
        "id");
    sql("INSERT INTO metric_names (hash, names) VALUES ('loss', '{loss}')");
    sql("INSERT INTO series (trial_id, run, grp, names_id) SELECT t.id, 1, g, n.id FROM trials t, metric_names n, "
        "unnest('{training,validation}'::text[]) g WHERE t.task_number % 4 > 0");
    sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[s.trial_id * i % 4] "
        "FROM series s, generate_series(1, 1 + s.trial_id % 3) i");
    sql("INSERT INTO allocations (id, task_number, trial_id, run, state, slots, owner_id, token_hash, "
        "user_token_hash, created_at, ended_at) SELECT 'a' || t.id, t.task_number, t.id, 1, 'TERMINATED', 1, 2, "
        "sha256(('a' || t.id)::bytea), sha256(('u' || t.id)::bytea), to_timestamp(0), to_timestamp(t.id % 4)" +
        of + " AND t.id % 5 > 0");
    sql("INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
        "resources, size) SELECT gen_random_uuid(), t.task_number, t.id, '', now(), "
        "(ARRAY['COMPLETED', 'DELETED'])[1 + i % 2], i, '{}', '{}', t.id % 3 FROM trials t, generate_series(1, 3) i");
  }

  // All of them in the order of `query`, by another road.
  std::vector<std::string> slow(const TrialQuery& query) {
    const std::string way(direction(query.order));
    std::string states = word_array(query.states);
    return split(sql("SELECT string_agg(t.id::text, ' ' ORDER BY " + kSlow.at(query.sort) + way + ", t.id" + way +
                     ") FROM trials t WHERE t.experiment_id = " + to_string(experiment_id) + " AND ('" + states +
                     "' = '{}' OR t.state = ANY('" + states + "'::text[]))"));
  }

  model::ExperimentId experiment_id;
};

TEST_F(TrialList, HasThePagesOfTheWholeList) {
  using State = model::TrialState;
  for (const auto& [sort, expression] : kSlow) {
    for (const Order order : {Order::kAscending, Order::kDescending}) {
      for (const auto& states : {std::vector<State>{}, std::vector{State::kCompleted, State::kError}}) {
        TrialQuery query{.experiment = experiment_id, .states = states, .sort = sort, .order = order, .page = {}};
        const std::vector<std::string> all = slow(query);
        ASSERT_EQ(all.size(), static_cast<std::size_t>(states.empty() ? kTrials : kTrials / 3 * 2));
        for (const Page& page : kPages) {
          query.page = page;
          const auto found = must(trials.list(query));
          std::string ids;
          for (const auto& view : found.items) ids += to_string(view.row.id) + " ";
          EXPECT_EQ(ids, cut(all, page)) << expression << direction(order) << " from " << page.offset;
          EXPECT_EQ(found.total, std::ssize(all));
        }
      }
    }
  }
}

TEST_F(TrialList, HasTheBestFirstWhereLargerIsBetter) {
  sql("UPDATE experiments SET config = config || '{\"searcher\": {\"metric\": \"loss\", \"smaller_is_better\": "
      "false}}' "
      "RETURNING id");
  sql("UPDATE trials SET best_rank = -best_metric RETURNING id");
  TrialQuery query{.experiment = experiment_id, .states = {}, .sort = TrialSort::kBestMetric, .page = {.limit = 1}};
  EXPECT_EQ(must(trials.list(query)).items.at(0).best_metric, 1) << "of 1, 0 and none";
  query.sort = TrialSort::kLatestMetric;
  query.page = {};
  std::vector<double> latest;
  for (const TrialView& view : must(trials.list(query)).items) {
    if (view.latest_validation) latest.push_back(view.latest_validation->metrics.at("loss").get<double>());
  }
  ASSERT_GT(latest.size(), 10U);
  EXPECT_GT(latest.front(), latest.back());
  EXPECT_TRUE(std::ranges::is_sorted(latest, std::greater()));
}

TEST_F(TrialList, ShowsThatTheExperimentIsPaused) {
  using State = model::TrialState;
  TrialQuery query{.experiment = experiment_id, .states = {State::kPaused}, .page = {.limit = 1}};
  EXPECT_EQ(must(trials.list(query)).total, 0);
  sql("UPDATE experiments SET state = 'PAUSED' WHERE id = " + to_string(experiment_id) + " RETURNING id");
  const auto paused = must(trials.list(query));
  EXPECT_EQ(paused.total, kTrials / 3) << "those that are over stay over";
  ASSERT_EQ(paused.items.size(), 1u);
  EXPECT_EQ(paused.items[0].row.state, State::kPaused);
  EXPECT_EQ(must(trials.find(paused.items[0].row.id))->state, State::kActive) << "its own row does not say it";
  query.states = {State::kActive};
  EXPECT_EQ(must(trials.list(query)).total, 0);
}

TEST_F(TrialList, HasNoPageAfterTheEnd) {
  TrialQuery query{.experiment = experiment_id, .states = {}, .page = {.offset = kTrials, .limit = 3}};
  EXPECT_TRUE(must(trials.list(query)).items.empty());
  query.page.offset = kTrials + 1;
  const auto after = must(trials.list(query));
  EXPECT_TRUE(after.items.empty());
  EXPECT_EQ(after.offset, kTrials);
}

}  // namespace
}  // namespace det::store
