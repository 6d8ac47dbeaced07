// PostgreSQL dies or pauses under load: what was acknowledged is there, nothing twice.

#include <optional>
#include <set>

#include <boost/asio/detached.hpp>

#include "store/logs/log_store.h"
#include "store/logs/log_writer.h"
#include "store/schema.h"
#include "store/sql.h"
#include "store/trials/progress_writer.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

// A server of its own: the shared one is not killed under other tests.
struct Outage : ::testing::Test {
  Outage() : url(server.create_database()), pool({.url = url, .connections = 1}) {
    DET_CHECK(pg::migrate(url, schema_migrations()).has_value(), "the schema applies");
    trial = started();
  }
  template <typename T>
  T run(Task<T> task) {
    return test::run_task(io, std::move(task));
  }
  TrialRow started() {
    const Epoch epoch = run(ClusterStore(pool).load_or_create())->epoch;
    NewExperiment wanted{.nonce = uuid_v4(),
                         .owner = {2},
                         .config = {{"searcher", {{"metric", "loss"}}}},
                         .original_config = {},
                         .config_hash = {},
                         .title = {}};
    const auto id = run(ExperimentStore(pool).insert(wanted))->id;
    TrialStore trials(pool);
    const auto made = run(trials.insert(epoch, StoreTest::new_trial(id)));
    EXPECT_TRUE(run(trials.start_run(epoch, made->id, StoreTest::new_run(1, "t"))));
    return **run(trials.find(made->id));
  }

  asio::io_context io;
  test::PostgresServer server;
  std::string url;
  pg::Pool pool;
  TrialRow trial;
};

TEST_F(Outage, KillingPostgresUnderLoadLosesAndDoublesNothing) {
  MetricWriter writer(io.get_executor(), {.url = url, .max_batch = 16});
  constexpr int kSenders = 32;
  constexpr int kEach = 60;
  std::set<int> acknowledged;
  int finished = 0;
  const auto send = [&](int sender) -> Task<void> {
    for (int i = 0; i < kEach; ++i) {
      const int steps = sender * kEach + i;
      auto made = StoreTest::validation(trial, steps, 1.0);
      const Status status = co_await writer.write(std::move(made), kPatience);
      EXPECT_TRUE(status);
      if (status) acknowledged.insert(steps);
      // In the middle of everything, with a batch on its way.
      if (acknowledged.size() == std::size_t{kSenders * kEach / 2}) {
        server.crash();
        server.start();
      }
    }
    if (++finished == kSenders) io.stop();
  };
  io.restart();
  for (int i = 0; i < kSenders; ++i) asio::co_spawn(io, send(i), asio::detached);
  io.run();
  EXPECT_EQ(acknowledged.size(), static_cast<std::size_t>(kSenders * kEach));
  EXPECT_GE(writer.stats().retries, 1U);
  SeriesKeeper keeper(pool);
  MetricStore metrics(pool, keeper);
  std::set<int> found;
  for (const auto& row : run(metrics.reports({.trial = trial.id, .group = "validation"})).value()) {
    EXPECT_TRUE(found.insert(static_cast<int>(row.steps)).second) << row.steps;
  }
  EXPECT_EQ(found, acknowledged);
  const auto count = [](pg::Transaction& tx) -> Result<std::size_t> {
    return run_sql1(tx, "SELECT count(*) FROM searcher_inbox")[0].as<std::size_t>();
  };
  EXPECT_EQ(run(pool.read("count the input", count)).value(), acknowledged.size());
}

TEST_F(Outage, KillingPostgresUnderLoadKeepsEveryLogLineOnce) {
  LogWriter writer(io.get_executor(), {.url = url, .max_batch = 16});
  constexpr int kPosts = 200;
  int finished = 0;
  const auto post = [&](int n) -> Task<void> {
    std::vector<LogLine> lines(2);
    for (LogLine& line : lines) line.text = std::to_string(n) + "\n";
    const Status status = co_await writer.write(trial.task_id, std::move(lines), kPatience);
    EXPECT_TRUE(status);
    if (++finished == kPosts / 2) {
      server.crash();
      server.start();
    }
    if (finished < kPosts) co_return;
    io.stop();
  };
  io.restart();
  for (int n = 0; n < kPosts; ++n) asio::co_spawn(io, post(n), asio::detached);
  io.run();
  std::multiset<std::string> texts;
  LineSink sink = [&texts](std::vector<NumberedLine> lines) -> Task<bool> {
    for (const auto& one : lines) texts.insert(one.line.text);
    co_return true;
  };
  LogStore logs(pool);
  EXPECT_EQ(run(logs.scan({.task_id = trial.task_id}, sink)), 2 * kPosts);
  for (int n = 0; n < kPosts; ++n) EXPECT_EQ(texts.count(std::to_string(n) + "\n"), 2U) << n;
}

// As a log shipper does it, which gets no answer for 30 seconds.
TEST_F(Outage, LogLinesThatAreSentAgainAreKeptOnce) {
  LogWriter writer(io.get_executor(), {.url = url, .max_batch = 1});
  const auto post = [&](const std::string& text, std::chrono::milliseconds patience) {
    std::vector<LogLine> lines(1);
    lines[0].text = text;
    return writer.write(trial.task_id, std::move(lines), patience);
  };
  constexpr std::chrono::milliseconds kImpatience{100};
  server.stop();
  for (int i = 0; i < 3; ++i) {
    // The first is tried all the time, the others wait behind it.
    for (const char* text : {"first\n", "second\n", "third\n"}) {
      EXPECT_EQ(run(post(text, kImpatience)).error().code, ErrorCode::kDeadlineExceeded);
    }
  }
  server.start();
  for (const char* text : {"first\n", "second\n", "third\n"}) EXPECT_TRUE(run(post(text, kPatience)));
  std::multiset<std::string> texts;
  LineSink sink = [&texts](std::vector<NumberedLine> lines) -> Task<bool> {
    for (const auto& one : lines) texts.insert(one.line.text);
    co_return true;
  };
  LogStore logs(pool);
  EXPECT_EQ(run(logs.scan({.task_id = trial.task_id}, sink)), 3);
  EXPECT_EQ(texts, (std::multiset<std::string>{"first\n", "second\n", "third\n"}));
}

TEST_F(Outage, TheLastProgressIsWrittenWhenPostgresIsBack) {
  SystemClock clock;
  ProgressWriter writer(io.get_executor(), pool, clock);
  server.stop();
  writer.note(trial.id, 0.25);
  io.restart();
  io.run_for(std::chrono::milliseconds(200));  // it has tried in vain
  writer.note(trial.id, 0.5);
  server.start();
  TrialStore trials(pool);
  const auto progress = [&] {
    const auto row = run(trials.find(trial.id));
    return row ? (*row)->progress : std::nullopt;
  };
  test::run_until(io, [&] { return progress().has_value(); });
  EXPECT_EQ(progress(), 0.5) << "the older one was not written over it";
}

TEST_F(Outage, AReportThatWaitsIsAcknowledgedWhenPostgresIsBack) {
  MetricWriter writer(io.get_executor(), {.url = url});
  server.stop();
  std::optional<Status> waiting;
  const auto send = [&]() -> Task<void> {
    waiting = co_await writer.write(StoreTest::validation(trial, 1, 0.5), kPatience);
    io.stop();
  };
  io.restart();
  asio::co_spawn(io, send(), asio::detached);
  while (writer.stats().retries == 0) io.poll();
  EXPECT_FALSE(waiting);
  server.start();
  io.restart();
  io.run();
  ASSERT_TRUE(waiting);
  EXPECT_TRUE(*waiting);
  SeriesKeeper keeper(pool);
  const auto rows = run(MetricStore(pool, keeper).reports({.trial = trial.id, .group = "validation"})).value();
  EXPECT_EQ(rows.size(), 1U);
}

TEST_F(Outage, ThePoolSaysUnavailableAndRecovers) {
  TrialStore trials(pool);
  server.stop();
  const auto away = run(trials.find(trial.id));
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().code, ErrorCode::kUnavailable);
  server.start();
  const auto back = run(trials.find(trial.id));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ((*back)->id, trial.id);
}

}  // namespace
}  // namespace det::store
