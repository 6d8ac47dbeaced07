#include "store/logs/log_deletion.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using LogDeletion = StoreTest;

TEST_F(LogDeletion, TakesAPartAtATimeOfTheseTasksOnly) {
  const TrialRow mine = started_trial();
  const TrialRow other = started_trial_of(mine.experiment, "02");
  const auto fill = [this](const TrialRow& of, int chunks) {
    sql("INSERT INTO task_log_chunks (task_number, first_id, n, t0, t1, mask, post, body) SELECT k.number, i, 1, "
        "now(), "
        "now(), 1, 0, '' FROM tasks k, generate_series(1, " +
        std::to_string(chunks) + ") i WHERE k.id = '" + of.task_id + "' RETURNING 1");
  };
  fill(mine, 700);
  fill(other, 1);
  const auto number = std::stoll(sql("SELECT number FROM tasks WHERE id = '" + mine.task_id + "'"));
  const auto once = [&] {
    return must(
        pool.write("delete logs", [&](pg::Transaction& tx) -> Result<bool> { return delete_some_logs(tx, {number}); }));
  };
  EXPECT_TRUE(once());
  EXPECT_EQ(sql("SELECT count(*) FROM task_log_chunks"), "201");
  EXPECT_FALSE(once());
  EXPECT_EQ(sql("SELECT count(*) FROM task_log_chunks"), "1");
}

}  // namespace
}  // namespace det::store
