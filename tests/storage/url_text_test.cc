#include "storage/url_text.h"

#include <gtest/gtest.h>

namespace det::storage {
namespace {

TEST(UrlText, EncodesWhatIsNotPlain) {
  EXPECT_EQ(percent_encoded("a b/c+d~e.\u00e8", true), "a%20b/c%2Bd~e.%C3%A8");
  EXPECT_EQ(percent_encoded("a/b", false), "a%2Fb");
  EXPECT_EQ(query_text({{"prefix", "x/y"}, {"list-type", "2"}}), "list-type=2&prefix=x%2Fy");
}

TEST(UrlText, DecodesWhatEncodersMake) {
  EXPECT_EQ(percent_decoded("a%20b+c%C3%A8", true).value(), "a b c\u00e8");
  EXPECT_EQ(percent_decoded("a+b", false).value(), "a+b");
  for (const char* odd : {"%", "%z1", "a%2"}) EXPECT_FALSE(percent_decoded(odd, true)) << odd;
}

TEST(UrlText, AHostIsNothingElse) {
  for (const char* host : {"minio:9000", "a-b.example", "[::1]:80"}) EXPECT_TRUE(is_host(host)) << host;
  for (const char* odd : {"", "a/b", "u@a", "a?b", "a#b", "a b", "a\\b"}) EXPECT_FALSE(is_host(odd)) << odd;
  EXPECT_EQ(without_scheme("http://minio:9000"), "minio:9000");
  EXPECT_EQ(without_scheme("minio"), "minio");
}

}  // namespace
}  // namespace det::storage
