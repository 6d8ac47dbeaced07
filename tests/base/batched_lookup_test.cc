#include "base/batched_lookup.h"

#include <gtest/gtest.h>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace det {
namespace {

class BatchedLookupTest : public testing::Test {
 protected:
  using Lookup = BatchedLookup<int>;

  Task<Result<Lookup::Found>> fetch(std::vector<std::string> keys) {
    asked.push_back(keys);
    co_await gate.wait(gate.version(), std::chrono::seconds(30));
    if (fails) co_return fail(ErrorCode::kUnavailable, "away");
    Lookup::Found found;
    for (const auto& key : keys) {
      if (key != "none") found[key] = static_cast<int>(key.size());
    }
    co_return found;
  }
  Task<void> ask(std::string key) {
    const auto value = co_await lookup.find(key);
    answers.push_back(key + "=" + (!value ? value.error().message : *value ? std::to_string(**value) : "nothing"));
  }
  void start(const std::string& key) { group.spawn(key, ask(key)); }
  void settle() {
    io.restart();
    io.poll();
  }
  void open_gate() {
    gate.notify_all();
    settle();
  }

  asio::io_context io;
  TaskGroup group{io.get_executor()};
  Signal gate{io.get_executor()};
  bool fails = false;
  std::vector<std::vector<std::string>> asked;
  std::vector<std::string> answers;
  Lookup lookup{[this](std::vector<std::string> keys) { return fetch(std::move(keys)); }};
};

TEST_F(BatchedLookupTest, WhatIsAskedMeanwhileGoesIntoTheNextRequest) {
  for (const char* key : {"a", "bb", "none", "bb"}) {
    start(key);
    settle();
  }
  EXPECT_EQ(asked, (std::vector<std::vector<std::string>>{{"a"}}));
  open_gate();
  EXPECT_EQ(answers, (std::vector<std::string>{"a=1"}));
  EXPECT_EQ(asked.back(), (std::vector<std::string>{"bb", "none", "bb"}));
  open_gate();
  EXPECT_EQ(answers, (std::vector<std::string>{"a=1", "bb=2", "none=nothing", "bb=2"}));
  EXPECT_EQ(asked.size(), 2U);
}

TEST_F(BatchedLookupTest, AnErrorIsTheWholeBatchsAndNobodyElses) {
  fails = true;
  start("a");
  settle();
  start("b");
  settle();
  gate.notify_all();
  io.restart();
  io.run_one();
  open_gate();
  fails = false;
  open_gate();
  start("c");
  settle();
  open_gate();
  EXPECT_EQ(answers.front(), "a=away");
  EXPECT_EQ(answers.back(), "c=1");
  EXPECT_EQ(answers.size(), 3U);
}

TEST_F(BatchedLookupTest, GoesOnWhenTheOneThatFetchesIsCancelled) {
  TaskGroup others(io.get_executor());
  group.spawn("first", ask("first"));
  settle();
  others.spawn("second", ask("second"));
  settle();
  group.cancel();
  settle();
  EXPECT_TRUE(answers.empty());
  EXPECT_EQ(asked.back(), (std::vector<std::string>{"second"}));
  open_gate();
  EXPECT_EQ(answers, (std::vector<std::string>{"second=6"}));
}

}  // namespace
}  // namespace det
