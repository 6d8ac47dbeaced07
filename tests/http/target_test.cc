#include "http/target.h"

#include <gtest/gtest.h>

namespace det::http {
namespace {

using Segments = std::vector<std::string>;

TEST(Target, SplitsAndDecodesThePath) {
  const auto target = parse_target("/api/v1/models/a%20b%2Fc");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->segments, (Segments{"api", "v1", "models", "a b/c"}));
  EXPECT_EQ(target->path, "/api/v1/models/a b/c");
}

TEST(Target, DropsOneTrailingSlash) {
  EXPECT_EQ(parse_target("/api/v1/me/")->segments, (Segments{"api", "v1", "me"}));
  EXPECT_EQ(parse_target("/api/v1/me//")->segments, (Segments{"api", "v1", "me", ""}));
  EXPECT_EQ(parse_target("/")->path, "/");
  EXPECT_TRUE(parse_target("/")->segments.empty());
}

TEST(Target, KeepsAPlusInThePathAndReadsItAsASpaceInTheQuery) {
  const auto target = parse_target("/a+b?q=a+b%2Bc");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/a+b");
  EXPECT_EQ(target->query.get("q"), "a b+c");
}

TEST(Target, KeepsRepeatedKeysInOrder) {
  const auto target = parse_target("/x?rankIds=0&rankIds=1&follow&=y");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->query.all("rankIds"), (std::vector<std::string>{"0", "1"}));
  EXPECT_TRUE(target->query.has("follow"));
  EXPECT_EQ(target->query.get("follow"), "");
  EXPECT_FALSE(target->query.has("absent"));
}

TEST(Target, RefusesWhatIsNotAWellFormedPath) {
  for (const char* bad : {"", "x", "*", "http://host/x", "/%", "/%2", "/%zz", "/a%00b", "/%ff", "/x?a=%ff", "/x?%4"}) {
    EXPECT_FALSE(parse_target(bad)) << bad;
  }
}

TEST(Target, EncodesWhatItDecodes) {
  EXPECT_EQ(encode_component("a b/ü:~"), "a%20b%2F%C3%BC:~");
}

}  // namespace
}  // namespace det::http
