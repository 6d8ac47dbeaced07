#include "k8sclient/leader_elector.h"

#include <memory>

#include <gtest/gtest.h>

#include "base/json_get.h"
#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"

namespace det::k8s {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

const ObjectKey& lease_key() {
  static const ObjectKey key{.ns = "ns", .name = "leader"};
  return key;
}

// One process that competes: its own connection, its own elector.
class Candidate {
 public:
  Candidate(asio::io_context& io, test::FakeClock& clock, test::FakeApiServer& server, std::string identity)
      : clock_(clock),
        connection(server, io.get_executor(), clock),
        client_(connection, connection, server.config(), clock, "det-test"),
        elector(client_, clock, io.get_executor(), {.lease = lease_key(), .identity = std::move(identity)}),
        background_(io) {
    background_.start(elector.run([this] { return lead(); }));
    clock_.settle();
  }
  // As SIGTERM: the lease is released.
  void stop() { background_.stop(); }
  [[nodiscard]] bool leads() const { return leading_; }
  [[nodiscard]] int terms() const { return terms_; }

 private:
  Task<void> lead() {
    struct Term {
      bool& leading;
      ~Term() { leading = false; }
    };
    leading_ = true;
    ++terms_;
    const Term term{leading_};
    for (;;) co_await clock_.sleep_for(std::chrono::hours(1));
  }
  test::FakeClock& clock_;

 public:
  test::FaultyTransport connection;

 private:
  Client client_;

 public:
  LeaderElector elector;

 private:
  bool leading_ = false;
  int terms_ = 0;
  test::Background background_;
};

class LeaderElectorTest : public testing::Test {
 protected:
  std::unique_ptr<Candidate> candidate(const std::string& identity) {
    return std::make_unique<Candidate>(io, clock, server, identity);
  }
  [[nodiscard]] json spec() const { return get_object(server.find(leases(), lease_key()), "spec"); }
  void advance(milliseconds time) {
    clock.advance(time);
    clock.settle();
  }
  static void silence(Candidate& who) {
    who.connection.answer_next("leases", {.status = 500, .headers = {}, .body = "away"}, 1000);
  }

  asio::io_context io;
  test::FakeClock clock{io};
  test::FakeApiServer server{io.get_executor(), clock};
};

TEST_F(LeaderElectorTest, TheFirstOneLeadsAndWritesTheLease) {
  const auto a = candidate("a");
  EXPECT_TRUE(a->leads());
  EXPECT_TRUE(a->elector.is_leader());
  EXPECT_EQ(spec()["holderIdentity"], "a");
  EXPECT_EQ(spec()["leaseDurationSeconds"], 15);
  EXPECT_EQ(spec()["leaseTransitions"], 0);
  EXPECT_EQ(spec()["acquireTime"], "2026-11-21T02:00:00.000000Z");
}

TEST_F(LeaderElectorTest, RenewsForEverAndLeadsOnce) {
  const auto a = candidate("a");
  const auto b = candidate("b");
  advance(std::chrono::minutes(10));
  EXPECT_TRUE(a->leads());
  EXPECT_EQ(a->terms(), 1);
  EXPECT_EQ(b->terms(), 0);
  EXPECT_EQ(spec()["acquireTime"], "2026-11-21T02:00:00.000000Z");
  EXPECT_EQ(spec()["renewTime"], "2026-11-21T02:10:00.000000Z");
}

TEST_F(LeaderElectorTest, GoesOnLeadingWhenAConnectionDiesWithoutAWord) {
  const auto a = candidate("a");
  a->connection.delay_next("leases", std::chrono::minutes(5));
  advance(seconds(30));
  EXPECT_EQ(a->connection.unused_faults(), 0U);
  EXPECT_TRUE(a->leads());
  EXPECT_EQ(a->terms(), 1);
}

TEST_F(LeaderElectorTest, AnotherTakesOverWhenTheLeaderFallsSilent) {
  const auto a = candidate("a");
  const auto b = candidate("b");
  advance(seconds(4));
  silence(*a);
  advance(milliseconds(9500));
  EXPECT_TRUE(a->leads());
  advance(milliseconds(600));
  EXPECT_FALSE(a->leads()) << "the old leader steps down before anybody else may lead";
  EXPECT_FALSE(b->leads());
  advance(seconds(9));
  EXPECT_TRUE(b->leads());
  EXPECT_FALSE(a->leads());
  EXPECT_EQ(spec()["leaseTransitions"], 1);
}

TEST_F(LeaderElectorTest, AtMostOneLeadsAtAnyMoment) {
  std::vector<std::unique_ptr<Candidate>> all;
  for (const char* name : {"a", "b", "c"}) all.push_back(candidate(name));
  int changes = 0;
  for (int step = 0; step < 600; ++step) {
    if (step % 100 == 50) {
      for (const auto& one : all) {
        if (one->leads()) {
          one->connection.answer_next("leases", {.status = 500, .headers = {}, .body = "away"}, 60);
          ++changes;
        }
      }
    }
    advance(milliseconds(500));
    int leaders = 0;
    for (const auto& one : all) leaders += one->leads() ? 1 : 0;
    ASSERT_LE(leaders, 1) << step;
  }
  EXPECT_GT(changes, 3);
}

TEST_F(LeaderElectorTest, TheSameIdentityTakesItsOwnLeaseBackAtOnce) {
  server.create(leases(), {{"metadata", {{"name", "leader"}, {"namespace", "ns"}}},
                           {"spec",
                            {{"holderIdentity", "a"},
                             {"leaseDurationSeconds", 15},
                             {"renewTime", "2026-11-21T01:59:59.000000Z"},
                             {"acquireTime", "2026-11-21T01:00:00.000000Z"},
                             {"leaseTransitions", 4}}}});
  const auto b = candidate("b");
  const auto a = candidate("a");
  EXPECT_TRUE(a->leads());
  EXPECT_FALSE(b->leads());
  EXPECT_EQ(spec()["leaseTransitions"], 4);
}

TEST_F(LeaderElectorTest, JudgesAForeignLeaseByItsOwnClockOnly) {
  // The holder's clock is a day behind: its renewTime says nothing to us.
  server.create(leases(), {{"metadata", {{"name", "leader"}, {"namespace", "ns"}}},
                           {"spec", {{"holderIdentity", "z"}, {"renewTime", "2026-11-20T02:00:00.000000Z"}}}});
  const auto a = candidate("a");
  advance(milliseconds(14'000));
  EXPECT_FALSE(a->leads());
  advance(milliseconds(3'000));
  EXPECT_TRUE(a->leads());
}

TEST_F(LeaderElectorTest, ReleasesTheLeaseWhenItIsStopped) {
  const auto a = candidate("a");
  const auto b = candidate("b");
  a->stop();
  EXPECT_FALSE(a->leads());
  EXPECT_EQ(spec()["holderIdentity"], "");
  advance(seconds(2));
  EXPECT_TRUE(b->leads());
}

TEST_F(LeaderElectorTest, DoesNotEmptyALeaseThatAnotherHolds) {
  const auto a = candidate("a");
  json stolen = server.find(leases(), lease_key());
  server.erase(leases(), lease_key());
  stolen["spec"]["holderIdentity"] = "b";
  server.create(leases(), stolen);
  a->stop();
  EXPECT_EQ(spec()["holderIdentity"], "b");
}

TEST_F(LeaderElectorTest, StepsDownAtOnceWhenAnotherHoldsTheLease) {
  const auto a = candidate("a");
  json stolen = server.find(leases(), lease_key());
  server.erase(leases(), lease_key());
  stolen["spec"]["holderIdentity"] = "b";
  server.create(leases(), stolen);
  advance(seconds(2));
  EXPECT_FALSE(a->leads());
  EXPECT_FALSE(a->elector.is_leader());
}

TEST_F(LeaderElectorTest, SurvivesAConflictWithSomebodyWhoOnlyLabelsTheLease) {
  const auto a = candidate("a");
  a->connection.answer_next("PATCH",
                            {.status = 409, .headers = {}, .body = R"({"reason":"Conflict","message":"modified"})"});
  advance(seconds(20));
  EXPECT_TRUE(a->leads());
  EXPECT_EQ(a->terms(), 1);
}

}  // namespace
}  // namespace det::k8s
