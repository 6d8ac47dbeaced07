// How many lines of a trial's log a search finds.

#include <gmock/gmock.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct LogCount : ApiTest {
  void post(int count, const std::string& text, store::LineLevel level = store::LineLevel::kInfo) {
    std::vector<store::LogLine> lines(static_cast<std::size_t>(count));
    for (auto& line : lines) {
      line.text = text + "\n";
      line.level = level;
    }
    must(log_writer.write(trial.task_id, std::move(lines), store::kPatience));
  }
  json count(const std::string& query) {
    const Answer answer = get("/api/v1/trials/" + to_string(trial.id) + "/logs/count" + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.body();
  }
  static json all(const char* number) { return {{"count", number}, {"isAll", true}}; }

  store::TrialRow trial = started_trial("run");
};

TEST_F(LogCount, IsOfTheLinesThatTheSearchFinds) {
  post(30, "epoch 1");
  post(12, "out of memory", store::LineLevel::kError);
  EXPECT_EQ(count(""), all("42"));
  EXPECT_EQ(count("?searchText=memory"), all("12"));
  EXPECT_EQ(count("?searchText=ep.*%201&enableRegex=true"), all("30"));
  EXPECT_EQ(count("?searchText=ep.*%201"), all("0"));
  EXPECT_EQ(count("?levels=LOG_LEVEL_ERROR"), all("12"));
  EXPECT_EQ(count("?searchText=epoch&levels=LOG_LEVEL_ERROR"), all("0"));
}

TEST_F(LogCount, EndsWhereThereIsMoreThanAnybodyReads) {
  for (int i = 0; i < 11; ++i) post(10'000, "x");
  EXPECT_EQ(count("?searchText=x"), (json{{"count", "100000"}, {"isAll", false}}));
  EXPECT_EQ(count("?searchText=y"), all("0"));
}

TEST_F(LogCount, RefusesWhatIsNoSearch) {
  const std::string path = "/api/v1/trials/" + to_string(trial.id) + "/logs/count";
  EXPECT_EQ(get(path + "?searchText=(&enableRegex=true").status, 400);
  EXPECT_EQ(get(path + "?levels=LOUD").status, 400);
  EXPECT_EQ(get("/api/v1/trials/77/logs/count").status, 404);
}

}  // namespace
}  // namespace det::api
