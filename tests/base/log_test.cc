#include "base/log.h"

#include <gtest/gtest.h>

#include "base/recent_log.h"

namespace det {
namespace {

std::string line_of(std::string value) {
  const std::int64_t before = latest_line();
  Logger("test").error("said", {{"value", std::move(value)}});
  const auto lines = recent_lines(before, 1);
  return lines.empty() ? std::string() : lines.front().text;
}

TEST(Log, QuotesAValueWhoseEndCouldNotBeSeen) {
  EXPECT_EQ(line_of("plain"), "test: said value=plain");
  EXPECT_EQ(line_of(""), "test: said value=\"\"");
  EXPECT_EQ(line_of("a \"b\"\n\r\t\\"), "test: said value=\"a \\\"b\\\"\\n\\r\\t\\\\\"");
}

TEST(Log, WritesWhatMovesACursorAsAnEscape) {
  EXPECT_EQ(line_of("a\x1b[2Jb"), "test: said value=a\\u001b[2Jb");
  EXPECT_EQ(line_of("a \x1b[2J\nb"), "test: said value=\"a \\u001b[2J\\nb\"");
}

}  // namespace
}  // namespace det
