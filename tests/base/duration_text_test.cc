#include "base/duration_text.h"

#include <gtest/gtest.h>

namespace det {
namespace {

using namespace std::chrono_literals;

std::string refused(std::string_view text) {
  const auto read = parse_duration_text(text);
  EXPECT_FALSE(read) << text;
  return read ? "" : read.error().message;
}

TEST(DurationText, ReadsWhatGoReads) {
  EXPECT_EQ(parse_duration_text("30m"), 30min);
  EXPECT_EQ(parse_duration_text("1h30m"), 90min);
  EXPECT_EQ(parse_duration_text("1.5h"), 90min);
  EXPECT_EQ(parse_duration_text(".5s"), 500ms);
  EXPECT_EQ(parse_duration_text("1.s"), 1s);
  EXPECT_EQ(parse_duration_text("100ms2us3ns"), 100ms + 2us + 3ns);
  EXPECT_EQ(parse_duration_text("7\u00b5s"), 7us);
  EXPECT_EQ(parse_duration_text("-1m"), -1min);
  EXPECT_EQ(parse_duration_text("+1m"), 1min);
  EXPECT_EQ(parse_duration_text("0"), 0s);
  EXPECT_EQ(parse_duration_text("2500000h"), 2500000h);
}

TEST(DurationText, RefusesWithTheTextsOfGo) {
  EXPECT_EQ(refused(""), R"(time: invalid duration "")");
  EXPECT_EQ(refused("soon"), R"(time: invalid duration "soon")");
  EXPECT_EQ(refused("1h-"), R"(time: unknown unit "h-" in duration "1h-")");
  EXPECT_EQ(refused("30"), R"(time: missing unit in duration "30")");
  EXPECT_EQ(refused("1h30"), R"(time: missing unit in duration "1h30")");
  EXPECT_EQ(refused("5x"), R"(time: unknown unit "x" in duration "5x")");
  EXPECT_EQ(refused("1d"), R"(time: unknown unit "d" in duration "1d")");
  EXPECT_EQ(refused("."), R"(time: invalid duration ".")");
  EXPECT_EQ(refused("3000000h"), R"(time: invalid duration "3000000h")");
  EXPECT_EQ(refused("1e9h"), R"(time: unknown unit "e" in duration "1e9h")");
  EXPECT_EQ(refused("nans"), R"(time: invalid duration "nans")");
}

TEST(DurationText, IsWrittenAsGoWritesIt) {
  EXPECT_EQ(duration_text(0s), "0s");
  EXPECT_EQ(duration_text(59s), "59s");
  EXPECT_EQ(duration_text(5min), "5m0s");
  EXPECT_EQ(duration_text(90min), "1h30m0s");
  EXPECT_EQ(duration_text(1h), "1h0m0s");
  EXPECT_EQ(duration_text(-61s), "-1m1s");
}

}  // namespace
}  // namespace det
