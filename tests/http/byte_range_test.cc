#include "http/byte_range.h"

#include <gtest/gtest.h>

namespace det::http {
namespace {

TEST(ByteRange, IsOnePartOfTheWhole) {
  const auto of = [](std::string_view header) { return read_range(header, 100).range; };
  EXPECT_EQ(of("bytes=0-9"), (ByteRange{0, 9}));
  EXPECT_EQ(of("bytes=40-"), (ByteRange{40, 99}));
  EXPECT_EQ(of("bytes=40-1000"), (ByteRange{40, 99}));
  EXPECT_EQ(of("bytes=99-99"), (ByteRange{99, 99}));
  EXPECT_EQ(of("bytes=-10"), (ByteRange{90, 99}));
  EXPECT_EQ(of("bytes=-1000"), (ByteRange{0, 99}));
}

TEST(ByteRange, BehindTheEndCannotBeHad) {
  for (const char* header : {"bytes=100-", "bytes=100-200", "bytes=18446744073709551615-", "bytes=-0"}) {
    EXPECT_EQ(read_range(header, 100), (AskedRange{.is_satisfiable = false, .range = {}})) << header;
  }
  EXPECT_FALSE(read_range("bytes=0-", 0).is_satisfiable);
}

// Several of them, or thousands, are no range here.
TEST(ByteRange, OrWhatIsNoneIsTheWhole) {
  std::string many = "bytes=0-0";
  for (int i = 0; i < 1000; ++i) many += ",0-0";
  for (const std::string& header : {std::string(), std::string("bytes"), std::string("bytes="), std::string("bytes=-"),
                                    std::string("bytes=a-b"), std::string("bytes=5-1"), std::string("bytes=0-9,20-29"),
                                    std::string("lines=0-9"), std::string("bytes=18446744073709551616-"), many}) {
    EXPECT_EQ(read_range(header, 100), AskedRange()) << header;
  }
}

TEST(ByteRange, IsSaidInTheAnswer) {
  EXPECT_EQ(content_range(ByteRange{0, 9}, 100), "bytes 0-9/100");
  EXPECT_EQ(content_range(std::nullopt, 100), "bytes */100");
}

}  // namespace
}  // namespace det::http
