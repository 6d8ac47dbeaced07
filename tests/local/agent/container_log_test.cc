#include "local/agent/container_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/local/scratch.h"

namespace det::local {
namespace {

WallTime at(int second) {
  return WallTime(std::chrono::seconds(1'700'000'000 + second));
}

std::string all(const std::string& log, const PodLogQuery& query) {
  PodLogFilter filter(query);
  std::string out;
  for (std::size_t i = 0; i < log.size(); i += 7) out += filter.feed(log.substr(i, 7));
  return out;
}

TEST(LogLines, HoldsAnUnfinishedLineUntilItEnds) {
  LogLines lines;
  EXPECT_EQ(lines.add("a", at(0)), "");
  EXPECT_EQ(lines.add("b\nc", at(1)), "2023-11-14T22:13:21.000000Z F ab\n");
  EXPECT_EQ(lines.finish(at(2)), "2023-11-14T22:13:22.000000Z P c\n");
  EXPECT_EQ(lines.finish(at(3)), "");
}

TEST(LogFilter, GivesBackEveryByteThatWasWritten) {
  std::string text(40'000, 'x');
  text += "\n\nlast\nwithout newline";
  LogLines lines;
  std::string log;
  for (std::size_t i = 0; i < text.size(); i += 999) log += lines.add(text.substr(i, 999), at(0));
  log += lines.finish(at(0));
  EXPECT_EQ(all(log, {}), text);
}

TEST(LogFilter, StampsOncePerLineAndCutsBySinceAndLimit) {
  LogLines lines;
  const std::string log = lines.add("one\n", at(0)) + lines.add("two\n", at(60)) + lines.add("three\n", at(61));
  PodLogQuery stamped;
  stamped.timestamps = true;
  stamped.since = at(60);
  EXPECT_EQ(all(log, stamped), "2023-11-14T22:14:20.000000Z two\n2023-11-14T22:14:21.000000Z three\n");
  PodLogQuery limited;
  limited.limit_bytes = 6;
  EXPECT_EQ(all(log, limited), "one\ntw");
}

class Tail : public testing::Test {
 protected:
  std::string last(const std::string& log, std::int64_t lines) {
    test::write_text(scratch_.path() + "/log", log);
    const int fd = ::open((scratch_.path() + "/log").c_str(), O_RDONLY | O_CLOEXEC);
    const auto offset = tail_offset(fd, lines);
    ::close(fd);
    return all(log.substr(offset), {});
  }
  test::Scratch scratch_;
};

TEST_F(Tail, FindsTheLastLinesAcrossBlocks) {
  LogLines lines;
  std::string log;
  for (int i = 0; i < 5000; ++i) log += lines.add("line " + std::to_string(i) + "\n", at(i));
  EXPECT_EQ(last(log, 0), "");
  EXPECT_EQ(last(log, 2), "line 4998\nline 4999\n");
  const std::string many = last(log, 4000);
  EXPECT_TRUE(many.starts_with("line 1000\n"));
  EXPECT_EQ(last(log, 5000), all(log, {}));
  EXPECT_EQ(last(log, 9000), all(log, {}));
}

TEST_F(Tail, CountsPiecesOfALongLineAsOne) {
  LogLines lines;
  const std::string big(50'000, 'y');
  const std::string log = lines.add("a\n" + big + "\nb\n", at(0));
  EXPECT_EQ(last(log, 2), big + "\nb\n");
  EXPECT_EQ(last(log, 1), "b\n");
  const std::string open = log + lines.add("tail", at(1)) + lines.finish(at(1));
  EXPECT_EQ(last(open, 2), "b\ntail");
}

}  // namespace
}  // namespace det::local
