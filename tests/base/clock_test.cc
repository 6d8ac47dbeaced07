#include "base/clock.h"

#include <gtest/gtest.h>

namespace det {
namespace {

TEST(Rfc3339, PrintsSixFractionDigitsAlways) {
  const auto time = parse_rfc3339("2026-11-21T02:00:00Z");
  ASSERT_TRUE(time);
  EXPECT_EQ(format_rfc3339_micros(*time), "2026-11-21T02:00:00.000000Z");
  EXPECT_EQ(format_rfc3339_seconds(*time), "2026-11-21T02:00:00Z");
}

TEST(Rfc3339, ReadsOffsetsAndNanoseconds) {
  const auto time = parse_rfc3339("2026-11-21T02:43:35.048186999+02:30");
  ASSERT_TRUE(time);
  EXPECT_EQ(format_rfc3339_micros(*time), "2026-11-21T00:13:35.048186Z");
}

TEST(Rfc3339, RefusesWhatIsNotATime) {
  for (const char* text : {"", "2026-11-21", "2026-13-01T00:00:00Z", "2026-11-21T25:00:00Z", "2026-11-21T00:00:00",
                           "2026-11-21T00:00:00.Z", "2026-11-21T00:00:00Zx", "0000-12-31T23:59:59Z",
                           "0001-01-01T00:30:00+01:00", "9999-12-31T23:30:00-01:00"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

}  // namespace
}  // namespace det
