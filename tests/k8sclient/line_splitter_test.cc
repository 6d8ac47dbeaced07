#include "k8sclient/line_splitter.h"

#include <gtest/gtest.h>

namespace det::k8s {
namespace {

class LineSplitterTest : public testing::Test {
 protected:
  LineSplitter::End feed(std::string_view bytes) {
    return splitter.feed(bytes, [this](std::string_view line) {
      lines.emplace_back(line);
      return lines.size() < stop_after;
    });
  }
  LineSplitter splitter{10};
  std::vector<std::string> lines;
  std::size_t stop_after = 100;
};

TEST_F(LineSplitterTest, GivesTheSameLinesHoweverTheBytesAreCut) {
  const std::string text = "one\ntwo\r\n\nthree\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    lines.clear();
    for (std::size_t at = 0; at < text.size(); at += size)
      EXPECT_EQ(feed(text.substr(at, size)), LineSplitter::End::kMore);
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"})) << "chunks of " << size;
  }
}

TEST_F(LineSplitterTest, KeepsALineThatHasNotEnded) {
  feed("one\ntw");
  EXPECT_EQ(lines.size(), 1U);
  EXPECT_EQ(splitter.pending(), 2U);
}

TEST_F(LineSplitterTest, RefusesALineThatIsTooLongInOnePieceOrMany) {
  EXPECT_EQ(feed("0123456789\n"), LineSplitter::End::kMore);
  EXPECT_EQ(feed("01234567890\n"), LineSplitter::End::kTooLong);
  LineSplitter other(10);
  const auto ignore = [](std::string_view) { return true; };
  EXPECT_EQ(other.feed("012345", ignore), LineSplitter::End::kMore);
  EXPECT_EQ(other.feed("678901", ignore), LineSplitter::End::kTooLong);
}

TEST_F(LineSplitterTest, StopsWhenTheReaderHasEnough) {
  stop_after = 1;
  EXPECT_EQ(feed("one\ntwo\n"), LineSplitter::End::kStopped);
  EXPECT_EQ(lines, (std::vector<std::string>{"one"}));
}

}  // namespace
}  // namespace det::k8s
