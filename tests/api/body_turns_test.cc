#include "api/body_turns.h"

#include <list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "api/route_policy.h"

namespace det::api {
namespace {

constexpr std::size_t kBig = BodyTurns::kLarge + 1;

// Requests that keep their turn until the test ends it.
class BodyTurnsTest : public ::testing::Test {
 protected:
  void ask(const std::string& account, const std::string& name, std::size_t bytes = kBig, bool is_report = true) {
    auto& leaves = clients.emplace_back();
    asio::co_spawn(io, work(account, name, bytes, is_report),
                   asio::bind_cancellation_slot(leaves.slot(), asio::detached));
    settle();
  }
  Task<void> work(std::string account, std::string name, std::size_t bytes, bool is_report) {
    auto turn = co_await turns.wait(std::move(account), bytes, is_report);
    went.push_back(std::move(name));
    held.push_back(std::move(turn));
  }
  void finish() {
    held.erase(held.begin());
    settle();
  }
  void settle() {
    io.restart();
    io.poll();
  }
  using Names = std::vector<std::string>;

  std::list<asio::cancellation_signal> clients;  // by which each can leave
  BodyTurns turns;
  Names went;
  asio::io_context io;  // who still waits goes with it, and tells the turns
  std::list<Turns::Turn> held;
};

TEST_F(BodyTurnsTest, OneLargeBodyAtATimeAndSmallOnesAtOnce) {
  ask("a", "a1");
  ask("b", "b1");
  ask("b", "small", BodyTurns::kLarge);
  EXPECT_EQ(went, (Names{"a1", "small"}));
  finish();
  EXPECT_EQ(went, (Names{"a1", "small", "b1"}));
}

TEST_F(BodyTurnsTest, ReportsDoNotWaitForWhatPeopleAskFor) {
  ask("a", "upload", kBig, false);
  ask("b", "upload2", kBig, false);
  ask("b", "report");
  EXPECT_EQ(went, (Names{"upload", "report"}));
}

TEST_F(BodyTurnsTest, AccountsTakeTurns) {
  for (const char* name : {"a1", "a2", "a3"}) ask("a", name);
  ask("b", "b1");
  finish();
  finish();
  finish();
  EXPECT_EQ(went, (Names{"a1", "b1", "a2", "a3"}));
}

TEST_F(BodyTurnsTest, WhoLeavesHoldsUpNobody) {
  ask("a", "a1");
  ask("b", "b1");
  clients.back().emit(asio::cancellation_type::all);
  settle();
  EXPECT_EQ(turns.waiting(), 0U);
  ask("c", "c1");
  finish();
  EXPECT_EQ(went, (Names{"a1", "c1"}));
}

// Members of an all-gather wait for one another while they are handled.
static_assert(static_cast<std::size_t>(Limit::kSmall) <= BodyTurns::kLarge);

}  // namespace
}  // namespace det::api
