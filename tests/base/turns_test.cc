#include "base/turns.h"

#include <list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

namespace det {
namespace {

TEST(Turns, AreGivenToSoManyAtOnceAndThenToWhoHadNone) {
  asio::io_context io;
  Turns turns(2);
  std::vector<std::string> went;
  std::list<Turns::Turn> held;
  const auto ask = [&](std::string key, std::string name) -> Task<void> {
    auto turn = co_await turns.wait(std::move(key));
    went.push_back(std::move(name));
    held.push_back(std::move(turn));
  };
  const auto settle = [&io] {
    io.restart();
    io.poll();
  };
  for (const char* name : {"a1", "a2", "a3", "a4"}) asio::co_spawn(io, ask("a", name), asio::detached);
  asio::co_spawn(io, ask("b", "b1"), asio::detached);
  settle();
  EXPECT_EQ(went, (std::vector<std::string>{"a1", "a2"}));
  EXPECT_EQ(turns.waiting(), 3U);
  held.pop_front();
  settle();
  EXPECT_EQ(went.back(), "b1");
  EXPECT_EQ(held.size(), 2U);
  held.clear();  // both at once
  settle();
  EXPECT_EQ(went, (std::vector<std::string>{"a1", "a2", "b1", "a3", "a4"}));
  EXPECT_EQ(turns.waiting(), 0U);
}

}  // namespace
}  // namespace det
