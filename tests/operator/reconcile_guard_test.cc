#include "operator/reconcile_guard.h"

#include <stdexcept>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/run_task.h"

namespace det::op {
namespace {

using nlohmann::json;

struct ReconcileGuardTest : ::testing::Test {
  ReconcileGuardTest() {
    api.create(
        k8s::experiments(),
        {{"apiVersion", "det-operator.dev/v1alpha1"},
         {"kind", "Experiment"},
         {"metadata", {{"name", "one"}, {"namespace", "team"}, {"generation", 3}}},
         {"status",
          {{"id", 7},
           {"conditions", json::array({{{"type", "Accepted"}, {"status", "True"}},
                                       {{"type", "Stalled"}, {"status", "False"}, {"reason", "NotStalled"}}})}}}});
  }
  static Task<Result<k8s::Outcome>> throwing(std::string what) {
    if (!what.empty()) throw std::runtime_error(what);
    co_return k8s::Outcome(k8s::Done{});
  }
  [[nodiscard]] json stored() const { return api.find(k8s::experiments(), key); }
  [[nodiscard]] std::optional<Reconciled> object() const {
    const json found = stored();
    return Reconciled{
        .subject = {.resource = k8s::experiments(), .key = key, .uid = {}}, .generation = 3, .status = found["status"]};
  }
  Result<k8s::Outcome> run(Task<Result<k8s::Outcome>> reconcile) {
    return test::run_task(io, guard.run(std::move(reconcile), [this] { return object(); }, Logger("test")));
  }
  [[nodiscard]] json stalled() const {
    for (const json& each : stored()["status"]["conditions"]) {
      if (each["type"] == "Stalled") return each;
    }
    return nullptr;
  }

  const k8s::ObjectKey key{.ns = "team", .name = "one"};
  asio::io_context io;
  SystemClock clock;
  test::FakeApiServer api{io.get_executor(), clock};
  k8s::Client client{api, api, api.config(), clock, "test"};
  k8s::EventRecorder events{client, clock, io.get_executor(), "test"};
  ReconcileGuard guard{client, events, clock};
};

TEST_F(ReconcileGuardTest, LeavesAloneWhatGoesWell) {
  EXPECT_TRUE(run(throwing("")));
  EXPECT_EQ(stalled()["status"], "False");
  EXPECT_EQ(events.waiting(), 0U);
}

TEST_F(ReconcileGuardTest, MakesAnErrorOfWhatIsThrownAndTellsTheObject) {
  const auto result = run(throwing("a hole in the logic"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kInternal);
  EXPECT_NE(result.error().message.find("a hole in the logic"), std::string::npos);
  EXPECT_EQ(stalled()["status"], "True");
  EXPECT_EQ(stalled()["reason"], "InternalError");
  EXPECT_NE(get_string(stalled(), "message").find("a hole in the logic"), std::string::npos);
  EXPECT_EQ(stored()["status"]["id"], 7);
  EXPECT_EQ(stored()["status"]["conditions"].size(), 2U);
  EXPECT_EQ(events.waiting(), 1U);
}

TEST_F(ReconcileGuardTest, BoundsWhatItTells) {
  EXPECT_FALSE(run(throwing(std::string(100'000, 'x'))));
  EXPECT_LT(get_string(stalled(), "message").size(), 1'000U);
}

TEST_F(ReconcileGuardTest, TellsOnlyWhatAnApiServerTakes) {
  std::string accents;
  for (int i = 0; i < 500; ++i) accents += "\xC3\xA9";
  EXPECT_FALSE(run(throwing("x" + accents)));
  EXPECT_TRUE(is_valid_utf8(get_string(stalled(), "message")));
}

TEST_F(ReconcileGuardTest, TellsNothingThatIsNoText) {
  EXPECT_FALSE(run(throwing("bytes \xFF\xFE")));
  EXPECT_NE(get_string(stalled(), "message").find("not UTF-8"), std::string::npos);
}

// A write is an event, which would bring the next try before its time.
TEST_F(ReconcileGuardTest, WritesOnceHoweverItIsSaid) {
  EXPECT_FALSE(run(throwing("at 0x1000")));
  const std::uint64_t version = api.version();
  EXPECT_FALSE(run(throwing("at 0x2000")));
  EXPECT_EQ(api.version(), version);
  EXPECT_EQ(events.waiting(), 2U);
}

TEST_F(ReconcileGuardTest, HasNobodyToTellWhenTheObjectIsGone) {
  auto nothing = [] { return std::optional<Reconciled>(); };
  EXPECT_FALSE(test::run_task(io, guard.run(throwing("late"), nothing, Logger("test"))));
  EXPECT_EQ(events.waiting(), 0U);
}

TEST_F(ReconcileGuardTest, LetsCancellationThrough) {
  asio::cancellation_signal stop;
  std::exception_ptr ended;
  bool answered = false;
  auto waits = [this]() -> Task<Result<k8s::Outcome>> {
    co_await clock.sleep_for(std::chrono::hours(1));
    co_return k8s::Outcome(k8s::Done{});
  };
  auto guarded = [&]() -> Task<void> {
    static_cast<void>(co_await guard.run(waits(), [this] { return object(); }, Logger("test")));
    answered = true;
  };
  asio::co_spawn(io, guarded(),
                 asio::bind_cancellation_slot(stop.slot(), [&](const std::exception_ptr& thrown) { ended = thrown; }));
  asio::post(io, [&] { stop.emit(asio::cancellation_type::terminal); });
  io.run();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(answered);
  EXPECT_EQ(stalled()["status"], "False");
}

}  // namespace
}  // namespace det::op
