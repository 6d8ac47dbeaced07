#include <algorithm>
#include <set>
#include <vector>

#include <gmock/gmock.h>

#include "api/experiments/verbs.h"
#include "tests/api/fixture.h"
#include "tests/support/fake_clock.h"

namespace det::api {
namespace {

using testing::HasSubstr;

struct BulkVerbs : ApiTest {
  Answer apply(const std::string& verb, const json& body, int project = 1) {
    const std::string path = "/api/v1/projects/" + std::to_string(project) + "/experiments/" + verb;
    return call(verb == "delete" ? "DELETE" : "POST", path, body.dump());
  }
  void end(std::int64_t id) {
    sql("UPDATE experiments SET state = 'COMPLETED' WHERE id = " + std::to_string(id) + " RETURNING id");
  }
  std::string archived() { return sql("SELECT string_agg(id::text, ',' ORDER BY id) FROM experiments WHERE archived"); }
};

TEST_F(BulkVerbs, AnswerForEachExperiment) {
  const std::int64_t over = create();
  const std::int64_t running = create();
  end(over);
  const json results = apply("archive", {{"experimentIds", {over, running, 99}}}).body()["results"];
  EXPECT_EQ(results[0], (json{{"id", over}, {"error", ""}}));
  EXPECT_EQ(results[1]["error"], "Experiment is not in terminal state.");
  EXPECT_EQ(results[2]["error"], "experiment '99' not found");
  EXPECT_EQ(archived(), std::to_string(over));
  EXPECT_EQ(apply("pause", {{"experimentIds", {running}}}).body()["results"][0]["error"], "");
  EXPECT_EQ(apply("activate", {{"experimentIds", {over}}}).body()["results"][0]["error"],
            "experiment in terminal state");
  EXPECT_EQ(apply("kill", {{"experimentIds", {over, running}}}).body()["results"].size(), 2U);
  EXPECT_EQ(apply("delete", {{"experimentIds", {over}}}).body()["results"][0]["error"], "");
  EXPECT_EQ(sql("SELECT state FROM experiments WHERE id = " + std::to_string(over)), "DELETING");
}

TEST_F(BulkVerbs, TakeAFilterInsteadOfIds) {
  const std::int64_t first = create();
  const std::int64_t second = create();
  create();
  end(first);
  end(second);
  const json filters = {{"states", {"STATE_COMPLETED"}}, {"excludedExperimentIds", {second}}};
  EXPECT_EQ(apply("archive", {{"experimentIds", json::array()}, {"filters", filters}}).body()["results"],
            json::array({{{"id", first}, {"error", ""}}}));
  EXPECT_EQ(archived(), std::to_string(first));
  EXPECT_EQ(apply("unarchive", {{"filters", {{"archived", true}}}}, 0).body()["results"].size(), 1U);
  EXPECT_EQ(apply("archive", {{"filters", json::object()}}, 7).body()["results"], json::array()) << "another project";
  EXPECT_EQ(apply("archive", {{"filters", {{"states", {"NO_STATE"}}}}}).error(),
            "filters.states: 'NO_STATE' is not a state like STATE_COMPLETED");
}

TEST_F(BulkVerbs, OfAFilterAreForThoseToWhichTheyDoSomething) {
  const std::int64_t first = create();
  const std::int64_t second = create();
  end(first);
  end(second);
  apply("archive", {{"experimentIds", {first}}});
  const json all = {{"filters", json::object()}};
  EXPECT_EQ(apply("archive", all).body()["results"], json::array({{{"id", second}, {"error", ""}}}));
  const std::int64_t third = create();
  end(third);
  EXPECT_EQ(apply("unarchive", all).body()["results"].size(), 2U);
  apply("archive", {{"experimentIds", {third}}});
  const json moved = apply("move", {{"filters", json::object()}, {"destinationProjectId", 1}}).body()["results"];
  EXPECT_EQ(moved.size(), 2U) << "what is archived does not move";
}

// The reconciler of this test sees none of them before all were asked for: who waited for one at a time would wait here
// until the suite's own limit.
TEST_F(BulkVerbs, AskAllBeforeTheyWait) {
  const std::vector<std::int64_t> ids = {create(), create(), create()};
  services.settings.verb_patience = std::chrono::hours(1);
  bool is_reconciled = false;
  const auto reconcile = [&]() -> Task<void> {
    const auto is_asked = [&](std::int64_t id) { return object(id)["spec"].value("suspend", false); };
    while (!std::ranges::all_of(ids, is_asked)) co_await clock.sleep_for(std::chrono::milliseconds(1));
    sql("UPDATE experiments SET state = 'PAUSED' RETURNING id");
    is_reconciled = true;
  };
  asio::co_spawn(io, reconcile(), asio::detached);
  EXPECT_EQ(apply("pause", {{"experimentIds", ids}}).body()["results"].size(), 3U);
  EXPECT_TRUE(is_reconciled) << "the effect is there once it is answered";
}

std::vector<Unseen> hundred() {
  std::vector<Unseen> all;
  for (std::int64_t id = 1; id <= 100; ++id) all.push_back({.id = {id}, .before = {model::ExperimentState::kActive}});
  return all;
}

TEST(UnseenVerbs, AreWaitedForTogetherAndNoLongerThanOne) {
  asio::io_context io;
  test::FakeClock clock(io);
  int looks = 0;
  bool is_over = false;
  const auto never = [&looks](const Unseen&) -> Task<bool> {
    ++looks;
    co_return false;
  };
  asio::co_spawn(io, wait_until_seen(clock, std::chrono::seconds(1), hundred(), never),
                 [&](const std::exception_ptr&) { is_over = true; });
  clock.advance(std::chrono::milliseconds(999));
  EXPECT_FALSE(is_over);
  clock.advance(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_over);
  EXPECT_EQ(looks, 40) << "queries of the whole wait";
}

TEST(UnseenVerbs, AreNotWaitedForOnceAllAreSeen) {
  asio::io_context io;
  test::FakeClock clock(io);
  bool is_over = false;
  std::set<std::int64_t> looked;
  const auto at_once = [&looked](const Unseen& one) -> Task<bool> {
    looked.insert(one.id.value);
    co_return true;
  };
  asio::co_spawn(io, wait_until_seen(clock, std::chrono::seconds(1), hundred(), at_once),
                 [&](const std::exception_ptr&) { is_over = true; });
  clock.settle();
  EXPECT_TRUE(is_over);
  EXPECT_EQ(looked.size(), 100U);
}

TEST_F(BulkVerbs, NameEachOnce) {
  const std::int64_t id = create();
  EXPECT_EQ(apply("pause", {{"experimentIds", {id, id}}}).body()["results"].size(), 1U);
  EXPECT_EQ(apply("pause", {{"experimentIds", {id, std::to_string(id)}}}).body()["results"].size(), 1U)
      << "protobuf's own JSON writes them as texts";
  EXPECT_EQ(apply("pause", {{"experimentIds", {std::uint64_t{1} << 63}}}).status, 400);
  EXPECT_EQ(apply("pause", {{"experimentIds", {id, "x"}}}).error(), "experimentIds[1]: expected an integer, got \"x\"");
  EXPECT_EQ(apply("pause", {{"experimentIds", {nullptr}}}).error(), "missing argument: experimentIds[0]");
}

TEST_F(BulkVerbs, StayInTheirProject) {
  const std::int64_t id = create();
  end(id);
  EXPECT_THAT(apply("archive", {{"experimentIds", {id}}}, 7).body()["results"][0]["error"].get<std::string>(),
              HasSubstr("not found"));
  EXPECT_EQ(apply("archive", {{"experimentIds", {"a"}}}).status, 400);
  EXPECT_EQ(apply("archive", {{"experimentIds", json(1001, 1)}}).status, 400);
}

TEST_F(BulkVerbs, DeleteOnlyOnesOwn) {
  const std::int64_t id = create();
  end(id);
  sql("UPDATE experiments SET owner_id = 1 RETURNING id");
  EXPECT_THAT(apply("delete", {{"experimentIds", {id}}}).body()["results"][0]["error"].get<std::string>(),
              HasSubstr("only its owner and admins"));
  EXPECT_EQ(sql("SELECT state FROM experiments"), "COMPLETED");
}

TEST_F(BulkVerbs, LabelsArePutAndTakenOneByOne) {
  const std::string path = "/api/v1/experiments/" + std::to_string(create()) + "/labels/";
  EXPECT_EQ(call("PUT", path + "a%20b").body()["labels"], json::array({"a b"}));
  EXPECT_EQ(call("PUT", path + "c").body()["labels"], json::array({"a b", "c"}));
  EXPECT_EQ(call("PUT", path + "c").body()["labels"], json::array({"a b", "c"}));
  EXPECT_EQ(call("DELETE", path + "a%20b").body()["labels"], json::array({"c"}));
  EXPECT_EQ(call("DELETE", path + "x").body()["labels"], json::array({"c"}));
  EXPECT_EQ(call("PUT", "/api/v1/experiments/99/labels/x").error(), "experiment '99' not found");
}

}  // namespace
}  // namespace det::api
