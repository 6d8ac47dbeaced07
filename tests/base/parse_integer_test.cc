#include "base/parse_integer.h"

#include <gtest/gtest.h>

namespace det {
namespace {

TEST(ParseInteger, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("007"), 7);
  EXPECT_EQ(parse_integer("9223372036854775807"), 9223372036854775807);
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "0x1", "1a", "-", "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace det
