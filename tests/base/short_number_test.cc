#include "base/short_number.h"

#include <limits>

#include <gtest/gtest.h>

namespace det {
namespace {

TEST(ShortNumber, HasFourDigitsAndTheWholePart) {
  EXPECT_EQ(short_number(0.9040999412536621), "0.9041");
  EXPECT_EQ(short_number(-12.25), "-12.25");
  EXPECT_EQ(short_number(5), "5");
  EXPECT_EQ(short_number(999.96), "1000");
  EXPECT_EQ(short_number(123456.7), "123457");
  EXPECT_EQ(short_number(1e-7), "1e-07");
  EXPECT_EQ(short_number(1.23456e30), "1.235e+30");
  EXPECT_EQ(short_number(std::numeric_limits<double>::infinity()), "inf");
}

}  // namespace
}  // namespace det
