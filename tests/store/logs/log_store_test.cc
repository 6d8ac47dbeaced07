// LogWriter and LogStore together.

#include "store/logs/log_store.h"

#include <algorithm>

#include <boost/asio/detached.hpp>

#include "base/encoding.h"

#include "store/logs/log_writer.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

struct Logs : StoreTest {
  Logs() : task(started_trial().task_id), writer(io.get_executor(), {.url = url}) {}

  static LogLine line(int n) {
    return {.time = WallTime(std::chrono::seconds(n)),
            .level = n % 2 == 0 ? LineLevel::kInfo : LineLevel::kError,
            .stdtype = StdType::kStdout,
            .rank = n % 3 == 0 ? std::optional<int>() : std::optional(n % 3),
            .allocation_id = "a",
            .container_id = "c",
            .agent_id = "n" + std::to_string(n % 2),
            .source = "task",
            .text = "line " + std::to_string(n) + "\n"};
  }
  // Lines first..last in one post.
  void post(int first, int last) {
    std::vector<LogLine> lines;
    for (int n = first; n <= last; ++n) lines.push_back(line(n));
    must(writer.write(task, std::move(lines), kPatience));
  }
  Result<std::int64_t> scan(LogQuery query, std::vector<std::int64_t>& ids) {
    query.task_id = task;
    LineSink sink = [&ids](std::vector<NumberedLine> lines) -> Task<bool> {
      for (const auto& one : lines) ids.push_back(one.id);
      co_return true;
    };
    return run(logs.scan(std::move(query), std::move(sink)));
  }
  std::vector<std::int64_t> ids(LogQuery query) {
    std::vector<std::int64_t> out;
    EXPECT_TRUE(scan(std::move(query), out));
    return out;
  }

  using Ids = std::vector<std::int64_t>;
  LogStore logs{pool};
  std::string task;
  LogWriter writer;
};

TEST_F(Logs, ComeBackInOrderAndNumbered) {
  for (int i = 0; i < 20; ++i) post(i * 5 + 1, i * 5 + 5);
  Ids all;
  const auto last = scan({}, all);
  EXPECT_EQ(last, 100);
  ASSERT_EQ(all.size(), 100U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<std::int64_t>(i) + 1);
  EXPECT_EQ(must(logs.count(task)), 100);
  EXPECT_EQ(ids({.after_id = 97}), (Ids{98, 99, 100}));
  EXPECT_EQ(ids({.after_id = 100}), Ids{});
  EXPECT_EQ(ids({.after_id = std::numeric_limits<std::int64_t>::max()}), Ids{});
  EXPECT_EQ(ids({.limit = 2}), (Ids{1, 2}));
  EXPECT_EQ(ids({.limit = 3, .order = Order::kDescending}), (Ids{100, 99, 98}));
  EXPECT_EQ(ids({.before_id = 98, .limit = 3, .order = Order::kDescending}), (Ids{97, 96, 95}));
  EXPECT_EQ(ids({.before_id = 1, .limit = 3, .order = Order::kDescending}), (Ids{}));
  EXPECT_EQ(ids({.limit = 7, .order = Order::kDescending}), (Ids{100, 99, 98, 97, 96, 95, 94}));
}

TEST_F(Logs, OfLongLinesComeInChunksAndBatchesOfBoundedSize) {
  constexpr int kLines = 200;
  std::vector<LogLine> lines;
  for (int n = 1; n <= kLines; ++n) {
    lines.push_back(line(n));
    lines.back().text.insert(0, std::string(64 << 10, 'x'));
  }
  must(writer.write(task, lines, kPatience));
  EXPECT_GE(std::stoi(sql("SELECT count(*) FROM task_log_chunks")), 12);
  EXPECT_EQ(sql("SELECT count(DISTINCT post) FROM task_log_chunks"), "1");
  for (const Order order : {Order::kAscending, Order::kDescending}) {
    Ids seen;
    LineSink sink = [&seen, &lines](std::vector<NumberedLine> some) -> Task<bool> {
      EXPECT_LE(some.size(), 100U) << "6 MiB";
      for (const NumberedLine& one : some) {
        EXPECT_EQ(one.line, lines[static_cast<std::size_t>(one.id) - 1]);
        seen.push_back(one.id);
      }
      co_return true;
    };
    must(logs.scan({.task_id = task, .order = order}, std::move(sink)));
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(kLines));
    EXPECT_EQ(seen.front(), order == Order::kAscending ? 1 : kLines);
    EXPECT_TRUE(std::ranges::is_sorted(
        seen, [order](std::int64_t a, std::int64_t b) { return order == Order::kAscending ? a < b : a > b; }));
  }
}

TEST_F(Logs, KnowWhetherLinesThatArePostedAgainAreThere) {
  const auto has = [this](int first, int last) {
    auto lines = std::make_shared<std::vector<LogLine>>();
    for (int n = first; n <= last; ++n) lines->push_back(line(n));
    return must(logs.has(task, std::move(lines)));
  };
  EXPECT_FALSE(has(1, 3)) << "an empty log";
  post(1, 10);
  post(11, 20);
  EXPECT_TRUE(has(11, 20));
  EXPECT_TRUE(has(1, 10)) << "behind which another pod has logged";
  EXPECT_TRUE(has(8, 13)) << "chunks may have been merged, or cut by a proxy's limit";
  EXPECT_FALSE(has(11, 21));
  EXPECT_FALSE(has(21, 30));
  const auto twice = std::make_shared<std::vector<LogLine>>(2, line(20));
  EXPECT_FALSE(must(logs.has(task, twice))) << "of two alike, one is there";
  auto elsewhere = std::make_shared<std::vector<LogLine>>(1, line(20));
  elsewhere->front().container_id = "other";
  EXPECT_FALSE(must(logs.has(task, elsewhere)));
  EXPECT_FALSE(must(logs.has("no-such-task", std::make_shared<std::vector<LogLine>>(1, line(20)))));
}

// What was written before chunks were bounded.
TEST_F(Logs, ReadChunksOfAnySize) {
  post(1, 1);
  std::vector<LogLine> large(3, line(1));
  for (LogLine& one : large) one.text = std::string(8 << 20, 'x') + "\n";
  sql("UPDATE task_log_chunks SET n = 3, body = decode('" + hex_encode(encode_chunk(large)) + "', 'hex')");
  EXPECT_EQ(ids({}), (Ids{1, 2, 3}));
  EXPECT_EQ(ids({.order = Order::kDescending}), (Ids{3, 2, 1}));
}

TEST_F(Logs, OfManySmallChunksComeInFewBatches) {
  for (int n = 1; n <= 40; ++n) post(n, n);
  std::vector<std::size_t> batches;
  LineSink sink = [&batches](std::vector<NumberedLine> lines) -> Task<bool> {
    batches.push_back(lines.size());
    co_return true;
  };
  EXPECT_TRUE(run(logs.scan({.task_id = task}, sink)));
  EXPECT_EQ(batches, std::vector<std::size_t>{40});
  EXPECT_EQ(ids({.limit = 30, .order = Order::kDescending}).size(), 30U);
}

TEST_F(Logs, KeepTheirOrderAlsoWhereALargePostIsPackedElsewhere) {
  std::vector<LogLine> large(20'000, line(1));
  int finished = 0;
  const auto write = [&](std::vector<LogLine> lines) -> Task<void> {
    const Status written = co_await writer.write(task, std::move(lines), kPatience);
    EXPECT_TRUE(written);
    if (++finished == 2) io.stop();
  };
  io.restart();
  asio::co_spawn(io, write(large), asio::detached);
  asio::co_spawn(io, write({line(2)}), asio::detached);
  io.run();
  EXPECT_EQ(ids({.search_text = "line 2\n"}), Ids{20'001});
}

TEST_F(Logs, AreFilteredByEveryField) {
  post(1, 6);
  EXPECT_EQ(ids({.levels = {LineLevel::kError}}), (Ids{1, 3, 5}));
  EXPECT_EQ(ids({.levels = {LineLevel::kCritical}}), Ids{});
  EXPECT_EQ(ids({.rank_ids = {-1}}), (Ids{3, 6}));
  EXPECT_EQ(ids({.rank_ids = {1, 2}}), (Ids{1, 2, 4, 5}));
  EXPECT_EQ(ids({.agent_ids = {"n0"}}), (Ids{2, 4, 6}));
  EXPECT_EQ(ids({.container_ids = {"other"}}), Ids{});
  EXPECT_EQ(ids({.stdtypes = {StdType::kStdout}}).size(), 6U);
  EXPECT_EQ(ids({.stdtypes = {StdType::kStderr}}), Ids{});
  EXPECT_EQ(ids({.after = WallTime(std::chrono::seconds(4))}), (Ids{5, 6}));
  EXPECT_EQ(ids({.before = WallTime(std::chrono::seconds(2))}), (Ids{1, 2}));
  EXPECT_EQ(ids({.search_text = "line 4"}), Ids{4});
  EXPECT_EQ(ids({.search_text = "LiNe 4"}), Ids{4}) << "capitals do not matter";
  EXPECT_EQ(ids({.search_text = "LiNe 4", .search_is_regex = true}), Ids{}) << "in an expression they do";
  EXPECT_EQ(ids({.search_text = "line [45]", .search_is_regex = true}), (Ids{4, 5}));
  EXPECT_EQ(ids({.search_text = "line [45]"}), Ids{});
}

TEST_F(Logs, RefuseAWrongExpression) {
  Ids none;
  const auto refused = scan({.search_text = "a(", .search_is_regex = true}, none);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().field, "searchText");
}

TEST_F(Logs, RefuseAnExpressionThatTakesTooLong) {
  std::vector<LogLine> lines{line(1), line(2)};
  lines[1].text.assign(20'000, 'z');
  must(writer.write(task, lines, kPatience));
  std::string large = "^Q(x";
  for (int i = 0; i < 40; ++i) large += "|[ab]*";
  Ids none;
  const auto refused = scan({.search_text = large + "){1000}y", .search_is_regex = true}, none);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().field, "searchText");
  EXPECT_EQ(ids({.limit = 1, .search_text = "[l]ine 1", .search_is_regex = true}), Ids{1});
}

TEST_F(Logs, OfAnUnknownTask) {
  EXPECT_EQ(run(writer.write("x", {line(1)}, kPatience)).error().message, "task 'x' not found");
  task = "x";
  EXPECT_EQ(ids({}), Ids{});
  EXPECT_EQ(must(logs.count("x")), 0);
}

TEST_F(Logs, StopWhenTheReaderHasGone) {
  for (int i = 0; i < 20; ++i) post(i + 1, i + 1);
  int calls = 0;
  LineSink sink = [&calls](std::vector<NumberedLine>) -> Task<bool> {
    ++calls;
    co_return false;
  };
  must(logs.scan({.task_id = task}, std::move(sink)));
  EXPECT_EQ(calls, 1);
}

TEST_F(Logs, CanBeFollowed) {
  Ids seen;
  const auto follow = [&]() -> Task<bool> {
    std::int64_t last = 0;
    while (seen.size() < 3) {
      const auto version = writer.committed().version();
      LineSink sink = [&seen](std::vector<NumberedLine> lines) -> Task<bool> {
        for (const auto& one : lines) seen.push_back(one.id);
        co_return true;
      };
      LogQuery query{.task_id = task, .after_id = last};
      const auto scanned = co_await logs.scan(std::move(query), std::move(sink));
      EXPECT_TRUE(scanned);
      last = *scanned;
      if (seen.size() < 3 && !co_await writer.committed().wait(version, kPatience)) co_return false;
    }
    co_return true;
  };
  const auto feed = [&]() -> Task<void> {
    for (int n = 1; n <= 3; ++n) {
      std::vector<LogLine> lines{line(n)};
      const Status status = co_await writer.write(task, std::move(lines), kPatience);
      EXPECT_TRUE(status);
    }
  };
  asio::co_spawn(io, feed(), asio::detached);
  EXPECT_TRUE(run(follow()));
  EXPECT_EQ(seen, (Ids{1, 2, 3}));
}

TEST_F(Logs, AreNotDoubledWhenTheCommitWasInDoubt) {
  post(1, 3);
  // What a lost connection leaves behind: the rows are there, nobody was told.
  EXPECT_EQ(sql("SELECT count(DISTINCT post) FROM task_log_chunks"), "1");
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'det-operator logs' "
      "AND datname = current_database()");
  post(4, 6);
  EXPECT_EQ(ids({}), (Ids{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace det::store
