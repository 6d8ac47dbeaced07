#include "store/usage/usage_store.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using testing::ElementsAre;

WallTime at(const char* text) {
  return *parse_rfc3339(text);
}

struct Usage : StoreTest {
  void place(const TrialRow& trial, const std::string& node) {
    must(allocations.note_pods(id_of(trial), model::AllocationState::kPending,
                               {{.rank = 0,
                                 .resources_id = "r",
                                 .pod_name = "p",
                                 .node = node,
                                 .ip = {},
                                 .slots = 1,
                                 .daemon = false,
                                 .accelerator = {}}}));
  }
  static std::string id_of(const TrialRow& trial) { return model::allocation_id(trial.task_id, 1); }
  [[nodiscard]] std::string rows() {
    return sql("SELECT count(*)::text || ' ' || count(ended_at)::text FROM allocation_usage");
  }
  // A run of its own times; no run of the operator's.
  void add(const std::string& id, const char* from, const char* to, int slots, const std::string& labels = "[]",
           const std::string& pool = "") {
    const std::string end = to == nullptr ? "NULL" : "'" + std::string(to) + "'";
    sql("INSERT INTO allocation_usage VALUES ('" + id + "', 'TRIAL', 2, 'old-name', 'w', 7, '" + labels + "', '" +
        pool + "', " + std::to_string(slots) + ", '" + from + "', " + end + ") RETURNING 1");
  }
  std::vector<std::string> sums_text(const char* from, const char* to, UsagePeriod period) {
    std::vector<std::string> lines;
    for (const UsageSum& sum : must(usage.sums({.begin = at(from), .end = at(to)}, period))) {
      lines.push_back(sum.period_start + " " + std::to_string(static_cast<int>(sum.kind)) + " " + sum.key + " " +
                      std::to_string(static_cast<std::int64_t>(sum.seconds)));
    }
    return lines;
  }

  UsageStore usage{pool};
};

TEST_F(Usage, BeginsWithANodeAndEndsWithTheRun) {
  const TrialRow trial = started_trial();
  place(trial, "");
  EXPECT_EQ(rows(), "0 0") << "it waits";
  place(trial, "n1");
  place(trial, "n1");
  EXPECT_EQ(rows(), "1 0");
  must(allocations.end(id_of(trial), "done", 0));
  EXPECT_EQ(rows(), "1 1");
}

TEST_F(Usage, OutlivesTheExperimentAndItsProject) {
  const TrialRow trial = started_trial();
  place(trial, "n1");
  sql("DELETE FROM trials WHERE id = " + to_string(trial.id) + " RETURNING 1");
  EXPECT_EQ(rows(), "1 1") << "what is removed holds nothing";
  const auto page = must(usage.page({.begin = at("2020-01-01T00:00:00Z"), .end = at("2100-01-01T00:00:00Z")}, {}, 10));
  ASSERT_EQ(page.size(), 1U);
  EXPECT_EQ(page[0].allocation_id, id_of(trial));
  EXPECT_EQ(page[0].task_type, "TRIAL");
  EXPECT_EQ(page[0].experiment, trial.experiment);
  EXPECT_EQ(page[0].username, "determined");
  EXPECT_EQ(page[0].workspace, "Uncategorized");
  EXPECT_EQ(page[0].resource_pool, "default");
}

TEST_F(Usage, CountsWhereTheRunWasAfterAMove) {
  const TrialRow trial = started_trial();
  sql(R"(UPDATE allocations SET plan = plan || '{"resource_pool": "big"}' RETURNING 1)");
  place(trial, "n1");
  EXPECT_EQ(sql("SELECT resource_pool FROM allocation_usage"), "big");
}

TEST_F(Usage, SaysHowLongRunsWaitedByDayAndPool) {
  std::vector<TrialRow> trials;
  for (const char* day : {"2026-03-01T23:00:00Z", "2026-03-01T23:00:00Z", "2026-03-02T01:00:00Z"}) {
    trials.push_back(started_trial("0" + std::to_string(trials.size() + 1)));
    place(trials.back(), "n1");
    sql("UPDATE allocation_usage SET started_at = '" + std::string(day) + "' WHERE allocation_id = '" +
        id_of(trials.back()) + "' RETURNING 1");
  }
  const auto queued = [&](std::size_t i, const char* since) {
    sql("UPDATE allocations SET created_at = '" + std::string(since) + "' WHERE id = '" + id_of(trials[i]) +
        "' RETURNING 1");
  };
  queued(0, "2026-03-01T22:59:50Z");
  queued(1, "2026-03-01T22:59:30Z");
  queued(2, "2026-03-01T01:00:00Z");
  add("deleted", "2026-03-02T02:00:00Z", nullptr, 1);
  EXPECT_THAT(must(usage.queue_times(at("2026-03-01T00:00:00Z"))),
              ElementsAre(QueueTime{.resource_pool = "default", .day = "2026-03-01", .seconds = 20},
                          QueueTime{.resource_pool = "default", .day = "2026-03-02", .seconds = 86'400}));
  EXPECT_EQ(must(usage.queue_times(at("2026-03-02T00:00:00Z"))).size(), 1U);
}

TEST_F(Usage, ComesInPagesOfWhatOverlaps) {
  add("a", "2026-03-01T00:00:00Z", "2026-03-01T10:00:00Z", 2);
  add("c", "2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z", 1);
  add("b", "2026-03-01T12:00:00Z", nullptr, 1);
  add("late", "2026-03-03T00:00:00Z", "2026-03-03T01:00:00Z", 1);
  const UsageRange range{.begin = at("2026-03-01T09:00:00Z"), .end = at("2026-03-02T00:00:00Z")};
  const auto first = must(usage.page(range, {}, 2));
  ASSERT_EQ(first.size(), 2U);
  EXPECT_EQ(first[0].allocation_id, "a");
  EXPECT_EQ(first[0].seconds, 3600);
  EXPECT_EQ(first[0].username, "determined") << "as the user is called now";
  EXPECT_EQ(first[1].allocation_id, "b");
  EXPECT_EQ(first[1].seconds, 12 * 3600);
  const auto second = must(usage.page(range, first.back(), 2));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].allocation_id, "c");
}

TEST_F(Usage, IsCutAtMidnightInUtc) {
  add("a", "2026-02-28T23:00:00Z", "2026-03-02T01:00:00Z", 2, R"(["x", "y"])", "big");
  EXPECT_THAT(
      sums_text("2026-02-28T00:00:00Z", "2026-03-02T00:00:00Z", UsagePeriod::kDay),
      ElementsAre("2026-02-28 0  7200", "2026-02-28 1 determined 7200", "2026-02-28 2 x 7200", "2026-02-28 2 y 7200",
                  "2026-02-28 3 big 7200", "2026-03-01 0  172800", "2026-03-01 1 determined 172800",
                  "2026-03-01 2 x 172800", "2026-03-01 2 y 172800", "2026-03-01 3 big 172800"));
  EXPECT_THAT(sums_text("2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", UsagePeriod::kMonth),
              ElementsAre("2026-03-01 0  180000", "2026-03-01 1 determined 180000", "2026-03-01 2 x 180000",
                          "2026-03-01 2 y 180000", "2026-03-01 3 big 180000"));
  EXPECT_TRUE(sums_text("2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z", UsagePeriod::kMonth).empty());
}

TEST_F(Usage, OfNoSlotsIsNotAddedUp) {
  add("a", "2026-03-01T00:00:00Z", "2026-03-01T10:00:00Z", 0);
  EXPECT_TRUE(sums_text("2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z", UsagePeriod::kDay).empty());
}

}  // namespace
}  // namespace det::store
