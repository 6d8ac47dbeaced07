#include "api/shared_answers.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "tests/support/fake_clock.h"

namespace det::api {
namespace {

using std::chrono::milliseconds;

class SharedAnswersTest : public testing::Test {
 protected:
  // What `name` is given is added to `given`. Readings wait until finish().
  void ask(const std::string& name, const std::string& key = "curves") {
    asio::co_spawn(io, asked(name, key), asio::detached);
  }

  // "a" reads, and "b" and "c" come meanwhile.
  void wait_behind_a() {
    ask("a");
    clock.settle();
    ask("b");
    ask("c");
    clock.settle();
    EXPECT_EQ(begun, 1);
  }

  void finish(milliseconds took, bool is_found = true) {
    clock.advance(took);
    finds = is_found;
    finished.notify_all();
    clock.settle();
  }

  Task<void> asked(std::string name, std::string key) {
    SharedAnswers::Read read = [this]() -> Task<Result<std::string>> { return reading(); };
    const auto answer = co_await answers.get(std::move(key), std::move(read));
    given.push_back(name + ": " + (answer ? **answer : answer.error().message));
  }

  Task<Result<std::string>> reading() {
    const std::string text = "reading " + std::to_string(++begun);
    co_await finished.wait(finished.version(), std::chrono::hours(1));
    if (!finds) co_return fail(ErrorCode::kUnavailable, text + " failed");
    co_return text;
  }

  asio::io_context io;
  test::FakeClock clock{io};
  SharedAnswers answers{io.get_executor(), clock, milliseconds(1)};  // signals wait in real time
  Signal finished{io.get_executor()};
  bool finds = true;
  int begun = 0;
  std::vector<std::string> given;
};

using Given = std::vector<std::string>;

TEST_F(SharedAnswersTest, WhoComesWhileItIsReadSharesTheNextReading) {
  wait_behind_a();
  finish(milliseconds(2));
  EXPECT_EQ(given, Given{"a: reading 1"});
  EXPECT_EQ(begun, 2);
  finish(milliseconds(2));
  EXPECT_THAT(given, testing::UnorderedElementsAre("a: reading 1", "b: reading 2", "c: reading 2"));
}

TEST_F(SharedAnswersTest, AfterAReadingThatWasSharedThereIsAPause) {
  for (const char* name : {"a", "b", "c"}) ask(name);
  clock.settle();
  finish(milliseconds(2));
  finish(milliseconds(2));  // of b and c
  given.clear();
  ask("d");
  clock.advance(milliseconds(31));
  clock.settle();
  EXPECT_EQ(begun, 2);
  ask("e");
  clock.advance(milliseconds(1));  // 16 times 2 ms
  clock.settle();
  EXPECT_EQ(begun, 3);
  finish(milliseconds(1));
  EXPECT_THAT(given, testing::UnorderedElementsAre("d: reading 3", "e: reading 3"));
}

TEST_F(SharedAnswersTest, WhoAsksAloneNeverWaits) {
  for (int i = 1; i <= 3; ++i) {
    ask("a");
    clock.settle();
    EXPECT_EQ(begun, i);
    finish(milliseconds(10));
    EXPECT_EQ(given.back(), "a: reading " + std::to_string(i));
  }
}

TEST_F(SharedAnswersTest, OfOtherKeysEachIsReadAtOnceAndKnownOnlyForAMoment) {
  for (int i = 0; i < 100; ++i) ask("a", std::to_string(i));
  clock.settle();
  EXPECT_EQ(begun, 100);
  EXPECT_EQ(answers.size(), 100U);
  finish(std::chrono::seconds(10));
  EXPECT_EQ(given.size(), 100U);
  clock.advance(SharedAnswers::kLongestPause);
  ask("a", "another");
  clock.settle();
  EXPECT_EQ(begun, 101);
  EXPECT_EQ(answers.size(), 1U);
  finish(milliseconds(1));
}

TEST_F(SharedAnswersTest, APauseIsShortHoweverLongAReadingTook) {
  ask("a");
  ask("b");
  ask("c");
  clock.settle();
  finish(std::chrono::seconds(10));
  finish(std::chrono::seconds(10));
  EXPECT_EQ(given.size(), 3U);
  ask("d");
  clock.settle();
  EXPECT_EQ(begun, 2);
  clock.advance(SharedAnswers::kLongestPause);
  clock.settle();
  EXPECT_EQ(begun, 3);
  finish(milliseconds(1));
}

TEST_F(SharedAnswersTest, WhoWaitsTooLongForAnotherOnesReadingReadsItself) {
  wait_behind_a();
  clock.advance(milliseconds(1));
  while (begun < 2) {
    io.restart();
    io.run_one();
  }
  clock.settle();
  EXPECT_EQ(begun, 2) << "one more, not one each";
  finish(milliseconds(0));
  EXPECT_THAT(given, testing::UnorderedElementsAre("a: reading 1", "b: reading 2", "c: reading 2"));
}

TEST_F(SharedAnswersTest, AnErrorIsGivenToAllWhoWaitedForIt) {
  wait_behind_a();
  finish(milliseconds(0), false);
  EXPECT_EQ(given, Given{"a: reading 1 failed"});
  finish(milliseconds(0), false);
  EXPECT_EQ(begun, 2);
  ASSERT_EQ(given.size(), 3U);
  EXPECT_EQ(given[1].substr(1), ": reading 2 failed");
  EXPECT_EQ(given[2].substr(1), ": reading 2 failed");
}

TEST_F(SharedAnswersTest, AnotherOneReadsWhenTheOneWhoReadsGoesAway) {
  asio::cancellation_signal leaves;
  asio::co_spawn(io, asked("a", "curves"), asio::bind_cancellation_slot(leaves.slot(), asio::detached));
  clock.settle();
  ask("b");
  clock.settle();
  EXPECT_EQ(begun, 1);
  leaves.emit(asio::cancellation_type::terminal);
  clock.settle();
  EXPECT_EQ(begun, 2);
  finish(milliseconds(1));
  EXPECT_EQ(given, Given{"b: reading 2"});
}

}  // namespace
}  // namespace det::api
