#include "store/logs/log_compactor.h"

#include <sstream>

#include "store/logs/log_store.h"
#include "store/logs/log_writer.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

std::vector<WrittenChunk> run_of(std::size_t count, std::int64_t lines, std::int64_t bytes = 100) {
  std::vector<WrittenChunk> run;
  for (std::size_t i = 0; i < count; ++i) {
    run.push_back({.first_id = static_cast<std::int64_t>(i) * lines + 1, .lines = lines, .bytes = bytes});
  }
  return run;
}

constexpr LogCompactor::Now kNow{std::chrono::hours(1)};

std::size_t to_merge(const std::vector<WrittenChunk>& run, bool is_quiet) {
  return chunks_to_merge(run, is_quiet, kNow);
}

TEST(ChunksToMerge, WaitsUntilItPays) {
  EXPECT_EQ(to_merge({}, true), 0U);
  EXPECT_EQ(to_merge(run_of(15, 10), false), 0U);
  EXPECT_EQ(to_merge(run_of(16, 10), false), 16U);
  auto after_a_merge = run_of(20, 10);
  after_a_merge.front().lines = 400;
  EXPECT_EQ(to_merge(after_a_merge, false), 0U);
  after_a_merge.front().lines = 190;
  EXPECT_EQ(to_merge(after_a_merge, false), 20U);
  EXPECT_EQ(to_merge(run_of(128, 1), false), 128U);
}

TEST(ChunksToMerge, StopsAtAFullChunk) {
  EXPECT_EQ(to_merge(run_of(300, 10), false), 100U);
  EXPECT_EQ(to_merge(run_of(50, 10, 16 << 10), false), 4U);
  EXPECT_EQ(to_merge(run_of(3, 1000), false), 1U);
}

TEST(ChunksToMerge, StopsWhereAReaderWouldUnpackTooMuch) {
  auto run = run_of(16, 10);
  for (WrittenChunk& chunk : run) chunk.held = 600 << 10;
  EXPECT_EQ(to_merge(run, true), 2U);
  run.front().held = 1 << 20;
  EXPECT_EQ(to_merge(run, true), 1U);
}

TEST(ChunksToMerge, TakesWhatIsThereWhenTheTaskIsQuiet) {
  EXPECT_EQ(to_merge(run_of(2, 10), true), 2U);
  EXPECT_EQ(to_merge(run_of(1, 10), true), 1U);
}

TEST(ChunksToMerge, LeavesWhatOthersWroteForAWhile) {
  auto run = run_of(40, 10);
  run[20].from = kNow + std::chrono::seconds(1);
  EXPECT_EQ(to_merge(run, false), 20U);
  EXPECT_EQ(to_merge(run, true), 20U);
  EXPECT_EQ(chunks_to_merge(run, false, kNow + std::chrono::seconds(1)), 40U);
}

struct Compaction : StoreTest {
  Compaction()
      : task(started_trial().task_id),
        writer(io.get_executor(), {.url = url, .compact_every = std::chrono::hours(1)}),
        compactor(url) {}

  void post(int posts, int lines) {
    for (int i = 0; i < posts; ++i) {
      std::vector<LogLine> some;
      for (int n = 0; n < lines; ++n, ++written) {
        some.push_back({.time = WallTime(std::chrono::seconds(written)),
                        .level = written % 2 == 0 ? LineLevel::kInfo : LineLevel::kError,
                        .text = "line " + std::to_string(written) + "\n"});
      }
      must(writer.write(task, std::move(some), kPatience));
    }
  }
  // As LogBatch tells it.
  void tell(const std::string& which = "true") {
    std::istringstream rows(
        sql("SELECT string_agg(concat_ws(' ', task_number, first_id, n, length(body)), ' ' ORDER BY "
            "first_id) FROM task_log_chunks WHERE " +
            which));
    std::int32_t number = 0;
    for (WrittenChunk chunk; rows >> number >> chunk.first_id >> chunk.lines >> chunk.bytes;) {
      compactor.wrote(number, chunk, now);
    }
  }
  std::string chunks() { return sql("SELECT count(*) FROM task_log_chunks"); }
  std::string texts(LogQuery query, std::function<void()> between = [] {}) {
    query.task_id = task;
    std::string out;
    LineSink sink = [&](std::vector<NumberedLine> lines) -> Task<bool> {
      for (const auto& one : lines) out += std::to_string(one.id) + " " + one.line.text;
      between();
      co_return true;
    };
    EXPECT_TRUE(run(logs.scan(std::move(query), std::move(sink))));
    return out;
  }

  LogStore logs{pool};
  std::string task;
  LogWriter writer;
  LogCompactor compactor;
  LogCompactor::Now now = std::chrono::steady_clock::now();
  int written = 0;
};

TEST_F(Compaction, MakesFewChunksOfManyAndChangesNoLine) {
  post(40, 5);
  const LogQuery queries[] = {{},
                              {.after_id = 97},
                              {.limit = 7, .order = Order::kDescending},
                              {.levels = {LineLevel::kError}, .before = WallTime(std::chrono::seconds(100))},
                              {.search_text = "line 42"}};
  std::vector<std::string> before;
  for (const LogQuery& query : queries) before.push_back(texts(query));
  tell();
  compactor.pass(now);
  EXPECT_EQ(chunks(), "1");
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(texts(queries[i]), before[i]);
  EXPECT_EQ(sql("SELECT n || ' ' || mask FROM task_log_chunks"), "200 " + std::to_string(1 << 3 | 1 << 5));
  post(1, 5);
  EXPECT_EQ(must(logs.count(task)), 205);
}

TEST_F(Compaction, IsNotSeenByAReaderOnItsWay) {
  for (const Order order : {Order::kAscending, Order::kDescending}) {
    post(40, 5);
    const std::string before = texts({.order = order});
    const auto merge = [this] {
      tell();
      compactor.pass(now + std::chrono::hours(1));
    };
    EXPECT_EQ(texts({.order = order}, merge), before);
  }
}

// A gang's pods are spread over the replicas.
TEST_F(Compaction, TakesWhatAnotherReplicaWroteInBetween) {
  post(40, 5);
  const std::string before = texts({});
  tell("first_id % 2 = 1");  // 1, 11, 21, ...: each second chunk
  compactor.pass(now);
  EXPECT_EQ(chunks(), "40") << "the other one may still look for its posts";
  compactor.pass(now + std::chrono::minutes(1));
  EXPECT_EQ(chunks(), "2") << "whose last chunk is not seen";
  EXPECT_EQ(texts({}), before);
}

// Both see the same chunks.
TEST_F(Compaction, LeavesWhatAnotherReplicaHasMerged) {
  post(40, 5);
  const std::string before = texts({});
  LogCompactor other(url);
  const std::int32_t number = std::stoi(sql("SELECT number FROM tasks WHERE id = '" + task + "'"));
  tell("first_id % 2 = 1");
  compactor.pass(now + std::chrono::minutes(1));
  const std::string merged = sql("SELECT string_agg(xmin::text, ' ' ORDER BY first_id) FROM task_log_chunks");
  for (std::int64_t id = 6; id <= 196; id += 10) {
    other.wrote(number, {.first_id = id, .lines = 5, .bytes = 100}, now);
  }
  other.pass(now + std::chrono::minutes(1));
  EXPECT_EQ(sql("SELECT string_agg(xmin::text, ' ' ORDER BY first_id) FROM task_log_chunks"), merged);
  EXPECT_EQ(texts({}), before);
}

TEST_F(Compaction, LeavesAloneWhatIsNoLongerWhole) {
  post(20, 5);
  tell();
  sql("DELETE FROM task_log_chunks WHERE first_id = 51");
  compactor.pass(now);
  EXPECT_EQ(chunks(), "19");
  EXPECT_EQ(texts({.after_id = 45, .limit = 6}),
            "46 line 45\n47 line 46\n48 line 47\n49 line 48\n50 line 49\n56 line 55\n");
}

TEST_F(Compaction, LeavesAloneWhatUnpacksToMuch) {
  LogWriter eager(io.get_executor(), {.url = url, .compact_every = std::chrono::milliseconds(5)});
  for (int posts = 0; posts < 20; ++posts) must(eager.write(task, {{.text = std::string(1 << 20, 'x')}}, kPatience));
  // The second task is merged in a pass that comes after all of the first.
  const std::string large = std::exchange(task, started_trial("another").task_id);
  const auto merged = [this] { return sql("SELECT count(*) FROM task_log_chunks WHERE n > 1") != "0"; };
  for (int posts = 0; posts < 20'000 && !merged(); ++posts) must(eager.write(task, {{.text = "one\n"}}, kPatience));
  EXPECT_TRUE(merged());
  task = large;
  EXPECT_EQ(sql("SELECT count(*) FROM task_log_chunks c JOIN tasks t ON t.number = c.task_number WHERE t.id = '" +
                task + "'"),
            "20");
}

TEST_F(Compaction, ComesByItselfAfterSmallPosts) {
  LogWriter eager(io.get_executor(), {.url = url, .compact_every = std::chrono::milliseconds(5)});
  const auto merged = [this] { return sql("SELECT count(*) FROM task_log_chunks WHERE n > 1") != "0"; };
  for (int posts = 0; posts < 20'000 && !merged(); ++posts) must(eager.write(task, {{.text = "one\n"}}, kPatience));
  EXPECT_TRUE(merged());
  EXPECT_EQ(must(logs.count(task)), std::stoll(sql("SELECT sum(n) FROM task_log_chunks")));
}

}  // namespace
}  // namespace det::store
