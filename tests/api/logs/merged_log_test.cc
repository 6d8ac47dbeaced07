// The logs of many trials as one.

#include "api/logs/merged_log.h"

#include <map>
#include <numeric>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::ElementsAre;

WallTime at(int seconds) {
  return WallTime(std::chrono::seconds(1'700'000'000 + seconds));
}

TEST(LogPlace, ComesBackAsItWas) {
  const LogPlace place{.time = at(7) + std::chrono::microseconds(123'456), .trial = {7}, .id = 12};
  EXPECT_EQ(to_text(place), "2023-11-14T22:13:27.123456Z,7,12");
  EXPECT_EQ(read_place(to_text(place)), place);
  for (const char* wrong : {"", "2023-11-14T22:13:27Z", "2023-11-14T22:13:27Z,7", "now,7,12",
                            "2023-11-14T22:13:27Z,x,1", "2023-11-14T22:13:27Z,7,12x", ",,"}) {
    EXPECT_EQ(read_place(wrong), std::nullopt) << wrong;
  }
}

struct MergedLog : testing::Test {
  // A trial that logs a line at each of these seconds.
  void log(std::int64_t trial, const std::vector<int>& times, std::optional<int> end = {},
           const std::string& text = {}) {
    std::vector<store::NumberedLine> lines;
    for (const int time : times) {
      store::LogLine line;
      line.time = at(time);
      line.text = text;
      lines.push_back({.id = std::ssize(lines) + 1, .line = line});
    }
    trials.push_back({.id = {trial},
                      .task_id = std::to_string(trial),
                      .start = at(times.front()),
                      .end = end ? std::optional(at(*end)) : std::nullopt});
    logs[std::to_string(trial)] = std::move(lines);
  }
  MergedPage page(std::int64_t limit, std::optional<LogPlace> before = {}) {
    ReadNewest read = [this](store::LogQuery query, store::LineSink sink) -> Task<Status> {
      asked.push_back(query.task_id);
      std::int64_t left = query.limit;
      for (auto line = logs[query.task_id].rbegin(); line != logs[query.task_id].rend(); ++line) {
        if (query.before && line->line.time > *query.before) continue;
        if (left-- == 0 || !co_await sink({*line})) break;
      }
      co_return Status();
    };
    MergeQuery query{.lines = {}, .before = before};
    query.lines.limit = limit;
    return test::run_task(io, merge_newest(trials, query, read)).value();
  }
  // All pages of `limit` lines, as "trial:number".
  std::vector<std::string> read(std::int64_t limit) {
    std::vector<std::string> all;
    std::optional<LogPlace> before;
    for (int pages = 0; pages < 1'000; ++pages) {
      const MergedPage one = page(limit, before);
      for (const auto& [trial, line] : one.lines) all.push_back(to_string(trial) + ":" + std::to_string(line.id));
      if (!one.next) return all;
      before = one.next;
    }
    ADD_FAILURE() << "it does not end";
    return all;
  }

  using Lines = std::vector<store::NumberedLine>;
  asio::io_context io;
  std::vector<MergedTrial> trials;
  std::map<std::string, Lines> logs;
  std::vector<std::string> asked;
};

TEST_F(MergedLog, HasTheLinesOfAllTrialsByTime) {
  log(1, {1, 4, 7});
  log(2, {2, 5, 8});
  log(3, {3, 6, 9});
  const std::vector<std::string> whole = {"3:3", "2:3", "1:3", "3:2", "2:2", "1:2", "3:1", "2:1", "1:1"};
  for (const std::int64_t limit : {1, 2, 4, 9, 100}) EXPECT_EQ(read(limit), whole) << limit;
}

TEST_F(MergedLog, GoesOnBetweenLinesOfOneTime) {
  log(1, {1, 1, 1, 1, 1, 1, 1});
  log(2, {1, 1, 1, 1, 1, 1, 1, 2});
  const auto whole = read(100);
  ASSERT_EQ(whole.size(), 15U);
  EXPECT_EQ(whole.front(), "2:8");
  for (const std::int64_t limit : {1, 3, 7}) EXPECT_EQ(read(limit), whole) << limit;
}

TEST_F(MergedLog, HasShortPagesOfLongLines) {
  const std::string text(64 << 10, 'x');
  std::vector<int> times(200);
  std::iota(times.begin(), times.end(), 0);
  log(1, times, {}, text);
  log(2, times, {}, text);
  // Of one time, and behind the place where the second page begins.
  log(3, std::vector<int>(200, 199), {}, text);
  const MergedPage first = page(2'000);
  EXPECT_GT(first.lines.size(), 50U);
  EXPECT_LT(first.lines.size(), 70U);
  ASSERT_TRUE(first.next);
  EXPECT_EQ(read(2'000).size(), 600U);
  EXPECT_EQ(read(2'000), read(40));
}

TEST_F(MergedLog, ReadsOnlyTrialsThatCanHaveALineInThePage) {
  log(1, {1, 2}, 3);
  log(2, {10'000, 10'001}, 10'002);
  log(3, {20'000, 20'001});
  EXPECT_EQ(page(2).lines.size(), 2U);
  EXPECT_THAT(asked, ElementsAre("3"));
  asked.clear();
  EXPECT_EQ(page(2, LogPlace{.time = at(15'000), .trial = {0}, .id = 0}).lines.size(), 2U);
  EXPECT_THAT(asked, ElementsAre("2"));
  // A pod's clock may be some minutes off.
  asked.clear();
  EXPECT_EQ(page(2, LogPlace{.time = at(19'900), .trial = {0}, .id = 0}).lines.size(), 2U);
  EXPECT_THAT(asked, ElementsAre("3", "2"));
}

TEST_F(MergedLog, IsTheSameInPagesOfAnySize) {
  std::uint32_t state = 1;
  const auto draw = [&state](std::uint32_t below) {
    return (state = state * 1'664'525 + 1'013'904'223) / 65'536 % below;
  };
  for (int trial = 1; trial <= 12; ++trial) {
    std::vector<int> times = {static_cast<int>(draw(4'000))};
    for (std::uint32_t i = 0, n = draw(60); i < n; ++i) times.push_back(times.back() + static_cast<int>(draw(20)));
    log(trial, times, draw(3) == 0 ? std::nullopt : std::optional(times.back()));
  }
  const auto whole = read(100'000);
  for (const std::int64_t limit : {1, 5, 17, 64}) EXPECT_EQ(read(limit), whole) << limit;
}

// Posts of two pods, each of some seconds: the second's are older than the end of the first's.
TEST_F(MergedLog, LosesNoLineOfTwoPodsOfATrial) {
  std::vector<int> times;
  for (int post = 0; post < 60; ++post) {
    for (int line = 0; line < 20; ++line) times.push_back(post / 2 * 2 + line / 10);
  }
  log(1, times);
  log(2, {5, 20, 35, 50});
  for (const std::int64_t limit : {30, 50, 64, 100'000}) EXPECT_EQ(read(limit).size(), 1'204U) << limit;
}

struct ExperimentLogs : ApiTest {
  void post(const store::TrialRow& trial, int from, int count, const std::string& text) {
    std::vector<store::LogLine> lines(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      auto& line = lines[static_cast<std::size_t>(i)];
      line.time = clock.wall_now() + std::chrono::seconds(from + i);
      line.text = text + "\n";
      line.level = i % 2 == 0 ? store::LineLevel::kInfo : store::LineLevel::kError;
    }
    must(log_writer.write(trial.task_id, std::move(lines), store::kPatience));
  }
  std::vector<json> logs(const std::string& query) {
    const Answer answer = get("/api/v1/experiments/" + to_string(first.experiment) + "/logs" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    std::vector<json> messages;
    std::istringstream lines(answer.text);
    for (std::string line; std::getline(lines, line);) messages.push_back(json::parse(line).at("result"));
    return messages;
  }

  store::TrialRow first = started_trial("run");
  store::TrialRow second = started_trial_of(first.experiment, "other");
};

TEST_F(ExperimentLogs, AreReadFromTheEndPageByPage) {
  post(first, 0, 10, "of the first");
  post(second, 5, 10, "of the second");
  auto page = logs("?limit=12");
  ASSERT_EQ(page.size(), 13U);
  EXPECT_EQ(page[0]["trialId"], second.id.value);
  EXPECT_EQ(page[0]["log"], "of the second\n");
  std::size_t lines = 12;
  for (int i = 0; i < 5 && page.back().contains("next"); ++i) {
    page = logs("?limit=12&before=" + page.back()["next"].get<std::string>());
    lines += page.size() - (page.back().contains("next") ? 1 : 0);
  }
  EXPECT_EQ(lines, 20U);
}

TEST_F(ExperimentLogs, AreSearched) {
  post(first, 0, 10, "of the first");
  post(second, 5, 10, "of the second");
  EXPECT_EQ(logs("").size(), 20U);
  EXPECT_EQ(logs("?searchText=sec.nd&enableRegex=true").size(), 10U);
  EXPECT_EQ(logs("?searchText=second&levels=LOG_LEVEL_ERROR").size(), 5U);
  EXPECT_EQ(logs("?searchText=nothing").size(), 0U);
  const std::string count = "/api/v1/experiments/" + to_string(first.experiment) + "/logs/count";
  EXPECT_EQ(get(count + "?searchText=sec.nd&enableRegex=true").body(), (json{{"count", "10"}, {"isAll", true}}));
  EXPECT_EQ(get(count + "?levels=LOG_LEVEL_ERROR").body(), (json{{"count", "10"}, {"isAll", true}}));
}

TEST_F(ExperimentLogs, RefuseWhatTheyDoNotKnow) {
  const std::string path = "/api/v1/experiments/" + to_string(first.experiment) + "/logs";
  EXPECT_EQ(get(path + "?before=yesterday").status, 400);
  EXPECT_EQ(get(path + "?searchText=(&enableRegex=true").status, 400);
  EXPECT_EQ(get(path + "?limit=-1").status, 400);
  EXPECT_EQ(get("/api/v1/experiments/77/logs").status, 404);
  EXPECT_EQ(get("/api/v1/experiments/77/logs/count").status, 404);
}

}  // namespace
}  // namespace det::api
