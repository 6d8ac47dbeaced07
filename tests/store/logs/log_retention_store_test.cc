#include "store/logs/log_retention_store.h"

#include <gmock/gmock.h>

#include "store/logs/log_store.h"
#include "store/logs/log_writer.h"
#include "tests/store/fixture.h"
#include "tests/support/fake_clock.h"

namespace det::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kForEver = -1;
constexpr std::chrono::minutes kLimit{5};

// It is 2026-11-21, two o'clock; retention took effect at the beginning of November.
struct Retention : StoreTest {
  Retention() : writer(io.get_executor(), {.url = url}) {
    sql("UPDATE log_retention SET held_before = '2026-11-01T00:00:00Z' RETURNING ''");
  }
  void write(const std::string& task, std::vector<std::string> texts) {
    std::vector<LogLine> lines;
    for (std::string& text : texts) {
      lines.emplace_back();
      lines.back().text = std::move(text) + "\n";
    }
    must(writer.write(task, std::move(lines), kPatience));
  }
  // A task of no trial, with a line in its log. `end` empty: it runs.
  std::string task(const std::string& id, const std::string& end, const std::string& start = "2026-11-05T00:00:00Z") {
    sql("INSERT INTO tasks (id, type, start_time, end_time) VALUES ('" + id + "', 'COMMAND', '" + start +
        "', nullif('" + end + "', '')::timestamptz) RETURNING ''");
    write(id, {"hello"});
    return id;
  }
  // A trial with a line in its log that has ended.
  TrialRow trial(const std::string& end, const nlohmann::json& days = nullptr) {
    NewExperiment made = experiment();
    made.config["retention_policy"] = {{"log_retention_days", days}};
    const TrialRow row = started_trial_of(must(experiments.insert(std::move(made))).id, uuid_v4());
    write(row.task_id, {"hello"});
    sql("UPDATE tasks SET start_time = '2026-11-05T00:00:00Z', end_time = '" + end + "' WHERE id = '" + row.task_id +
        "' RETURNING ''");
    return row;
  }
  std::vector<std::string> log(const std::string& id) {
    std::vector<std::string> texts;
    LineSink sink = [&texts](std::vector<NumberedLine> lines) -> Task<bool> {
      for (const auto& one : lines) texts.push_back(std::to_string(one.id) + " " + one.line.text);
      co_return true;
    };
    LogQuery query;
    query.task_id = id;
    EXPECT_TRUE(run(logs.scan(std::move(query), std::move(sink))));
    return texts;
  }
  RemovedLogs remove(int default_days) { return must(retention.remove_expired(default_days, clock, kLimit)); }
  static std::string removed_line(int place, const std::string& days) {
    return std::to_string(place) + " The log of this task was removed: it had been kept for " + days +
           " after the task ended, as log_retention_days says.\n";
  }

  test::FakeClock clock{io};
  LogStore logs{pool};
  LogRetentionStore retention{pool};
  LogWriter writer;
};

TEST_F(Retention, BeginsWithTheEndOfTheTask) {
  const std::string over = task("over", "2026-11-14T02:00:00Z");
  const std::string not_yet = task("not-yet", "2026-11-14T02:00:00.000001Z");
  const std::string runs = task("runs", "");
  const RemovedLogs removed = remove(7);
  EXPECT_EQ(removed.tasks, 1);
  EXPECT_EQ(removed.lines, 1);
  EXPECT_GT(removed.bytes, 0);
  EXPECT_TRUE(removed.is_complete);
  EXPECT_THAT(log(over), ElementsAre(removed_line(2, "7 days")));
  EXPECT_THAT(log(not_yet), ElementsAre("1 hello\n"));
  EXPECT_THAT(log(runs), ElementsAre("1 hello\n"));
}

TEST_F(Retention, RemovesNothingTwice) {
  const std::string over = task("over", "2026-11-14T02:00:00Z");
  task("silent", "2026-11-14T02:00:00Z");
  sql("DELETE FROM task_log_chunks c USING tasks k WHERE k.number = c.task_number AND k.id = 'silent' RETURNING ''");
  EXPECT_EQ(remove(1).tasks, 1);
  EXPECT_EQ(remove(1).tasks, 0);
  EXPECT_THAT(log(over), ElementsAre(removed_line(2, "1 day")));
  EXPECT_THAT(log("silent"), IsEmpty()) << "nothing was there, so nothing is said";
  EXPECT_EQ(sql("SELECT count(*) FROM tasks WHERE log_removed_at IS NOT NULL"), "2");
}

TEST_F(Retention, ForEverIsTheDefaultAndZeroIsAtOnce) {
  const std::string now = task("now", "2026-11-21T02:00:00Z");
  EXPECT_EQ(remove(kForEver).tasks, 0);
  EXPECT_THAT(log(now), ElementsAre("1 hello\n"));
  EXPECT_EQ(remove(0).tasks, 1);
  EXPECT_THAT(log(now), ElementsAre(removed_line(2, "0 days")));
}

TEST_F(Retention, WhatIsLoggedLateGoesToo) {
  const std::string over = task("over", "2026-11-21T01:00:00Z");
  EXPECT_EQ(remove(0).tasks, 1);
  write(over, {"late", "later"});
  EXPECT_EQ(log(over).size(), 3U);
  EXPECT_EQ(remove(0).tasks, 1);
  EXPECT_THAT(log(over), ElementsAre(removed_line(5, "0 days")));
}

TEST_F(Retention, OfATaskThatIsRevivedBeginsAnew) {
  const TrialRow row = trial("2026-11-14T00:00:00Z");
  EXPECT_EQ(remove(1).tasks, 1);
  sql("UPDATE tasks SET end_time = NULL WHERE id = '" + row.task_id + "' RETURNING ''");
  write(row.task_id, {"again"});
  EXPECT_EQ(remove(1).tasks, 0);
  EXPECT_THAT(log(row.task_id), ElementsAre(removed_line(2, "1 day"), "3 again\n"));
}

TEST_F(Retention, OnesOwnDaysBeatTheDefault) {
  const TrialRow kept = trial("2026-11-06T00:00:00Z", -1);
  const TrialRow shorter = trial("2026-11-20T00:00:00Z", 1);
  const TrialRow whole = trial("2026-11-20T00:00:00Z", 1.0);
  const TrialRow plain = trial("2026-11-20T00:00:00Z");
  EXPECT_EQ(remove(7).tasks, 2);
  EXPECT_THAT(log(kept.task_id), ElementsAre("1 hello\n"));
  EXPECT_THAT(log(shorter.task_id), ElementsAre(removed_line(2, "1 day")));
  EXPECT_THAT(log(whole.task_id), ElementsAre(removed_line(2, "1 day")));
  EXPECT_THAT(log(plain.task_id), ElementsAre("1 hello\n"));
}

TEST_F(Retention, IsSetForAnExperimentAndForATrial) {
  const TrialRow row = trial("2026-11-20T00:00:00Z", 1);
  must(retention.set_days(row.experiment, 5));
  EXPECT_EQ(must(experiments.find(row.experiment))->log_retention_days, 5);
  EXPECT_EQ(remove(0).tasks, 0);
  must(retention.set_days(row.id, -1));
  EXPECT_EQ(must(trials.find(row.id))->log_retention_days, -1);
  must(retention.set_days(row.experiment, 6));
  EXPECT_EQ(must(trials.find(row.id))->log_retention_days, std::nullopt) << "said of all its trials";
  must(retention.set_days(row.id, 1));
  EXPECT_EQ(remove(kForEver).tasks, 1);
  EXPECT_EQ(run(retention.set_days(model::ExperimentId{99}, 1)).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(run(retention.set_days(model::TrialId{99}, 1)).error().code, ErrorCode::kNotFound);
}

TEST_F(Retention, HoldsWhatIsOlderThanItself) {
  const std::string old = task("old", "2026-11-02T00:00:00Z", "2026-10-31T23:59:59Z");
  task("new", "2026-11-20T00:00:00Z", "2026-11-01T00:00:00Z");
  EXPECT_EQ(must(retention.held(kForEver)).tasks, 0) << "nothing would be removed";
  const HeldLogs held = must(retention.held(0));
  EXPECT_EQ(held.tasks, 1);
  EXPECT_GT(held.bytes, 0);
  EXPECT_EQ(remove(0).tasks, 1);
  EXPECT_THAT(log(old), ElementsAre("1 hello\n"));
  EXPECT_EQ(must(retention.release_held(0)).tasks, 1);
  EXPECT_EQ(must(retention.held(0)).tasks, 0);
  EXPECT_EQ(remove(0).tasks, 1);
  EXPECT_THAT(log(old), ElementsAre(removed_line(2, "0 days")));
}

TEST_F(Retention, RemovesManyTasksAndLongLogs) {
  sql("INSERT INTO tasks (id, type, start_time, end_time, log_lines) SELECT 'many-' || i, 'COMMAND', '2026-11-05', "
      "'2026-11-06', 1 FROM generate_series(1, 4100) i RETURNING ''");
  const std::string chunk =
      "INSERT INTO task_log_chunks (task_number, first_id, n, t0, t1, mask, post, body) SELECT k.number, ";
  sql(chunk + "1, 1, now(), now(), 1, 1, '\\x01' FROM tasks k WHERE k.id LIKE 'many-%' RETURNING ''");
  const std::string lengthy = task("long", "2026-11-06T00:00:00Z");
  sql(chunk +
      "i + 1, 1, now(), now(), 1, 1, '\\x01' FROM tasks k, generate_series(1, 1700) i WHERE k.id = 'long' "
      "RETURNING ''");
  sql("UPDATE tasks SET log_lines = 1701 WHERE id = 'long' RETURNING ''");
  const std::string last = task("last", "2026-11-06T00:00:00Z");
  const RemovedLogs removed = remove(1);
  EXPECT_TRUE(removed.is_complete);
  EXPECT_EQ(removed.tasks, 4102);
  EXPECT_EQ(removed.lines, 4100 + 1701 + 1);
  EXPECT_EQ(sql("SELECT count(*) FROM task_log_chunks"), "4102") << "a line each";
  EXPECT_THAT(log(lengthy), ElementsAre(removed_line(1702, "1 day")));
  EXPECT_THAT(log(last), ElementsAre(removed_line(2, "1 day")));
}

TEST_F(Retention, GoesOnWhereSomebodyWasKilled) {
  const std::string over = task("over", "2026-11-06T00:00:00Z");
  for (int i = 0; i < 3; ++i) write(over, {"more"});
  // The first transaction of the one before took the beginning.
  sql("DELETE FROM task_log_chunks WHERE first_id <= 2 RETURNING ''");
  EXPECT_EQ(log(over).size(), 2U);
  EXPECT_EQ(remove(1).lines, 2);
  EXPECT_THAT(log(over), ElementsAre(removed_line(5, "1 day")));
}

TEST_F(Retention, StopsWhenItsTimeIsOver) {
  task("over", "2026-11-06T00:00:00Z");
  const RemovedLogs removed = must(retention.remove_expired(1, clock, std::chrono::nanoseconds(-1)));
  EXPECT_FALSE(removed.is_complete);
  EXPECT_EQ(removed.tasks, 0);
}

TEST_F(StoreTest, HoldsTheLogsOfBeforeRetention) {
  EXPECT_EQ(sql("SELECT held_before <= now() AND held_before > now() - interval '1 day' FROM log_retention"), "t");
}

TEST_F(Retention, RemembersItsLastPass) {
  EXPECT_EQ(must(retention.last_pass()), std::nullopt);
  must(retention.note_pass(clock.wall_now()));
  EXPECT_EQ(must(retention.last_pass()), clock.wall_now());
}

}  // namespace
}  // namespace det::store
