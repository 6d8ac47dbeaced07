#include "storage/s3_listing.h"

#include <gtest/gtest.h>

#include "storage/storage_xml.h"

namespace det::storage {
namespace {

TEST(S3Listing, ReadsKeysSizesAndTheNextPage) {
  const auto listing = read_s3_page(
      "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name>"
      "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>abc=</"
      "NextContinuationToken>"
      "<Contents><Key>a/mod%C3%A8le+1.pt</Key><ETag>&quot;e1&quot;</ETag><Size>7</Size></Contents>"
      "<Contents><Key>a/</Key><Size>0</Size></Contents></ListBucketResult>");
  ASSERT_TRUE(listing) << listing.error().message;
  const std::vector<StoredFile> wanted = {{.path = "a/mod\u00e8le 1.pt", .bytes = 7, .version = "\"e1\""},
                                          {.path = "a/", .bytes = 0}};
  EXPECT_EQ(listing->files, wanted);
  EXPECT_EQ(listing->continue_with, "abc=");
}

// versitygw does, whatever it was asked for.
TEST(S3Listing, TakesKeysAsTheyAreFromServersThatDoNotEncodeThem) {
  const auto listing = read_s3_page(
      "<ListBucketResult><EncodingType></EncodingType><Contents><Key>a/50%+1 &amp; \u00e8.pt</Key><Size>7</Size>"
      "</Contents></ListBucketResult>");
  ASSERT_TRUE(listing) << listing.error().message;
  EXPECT_EQ(listing->files.at(0).path, "a/50%+1 & \u00e8.pt");
}

TEST(S3Listing, OfNothingIsEmpty) {
  const auto listing = read_s3_page("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
  ASSERT_TRUE(listing);
  EXPECT_TRUE(listing->files.empty());
  EXPECT_EQ(listing->continue_with, "");
}

TEST(S3Listing, RefusesWhatIsNone) {
  for (const char* xml : {"", "<html>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "{}",
                          "<Error><Code>x</Code></Error>",
                          "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%zz</Key><Size>1</Size></"
                          "Contents></ListBucketResult>",
                          "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
                          "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>a%</Key><Size>1</Size></"
                          "Contents></ListBucketResult>"}) {
    const auto listing = read_s3_page(xml);
    EXPECT_FALSE(listing) << xml;
  }
}

// The parser calls itself for each level.
TEST(S3Listing, RefusesTowersOfElements) {
  std::string tower;
  for (int i = 0; i < 1'000'000; ++i) tower += "<a>";
  EXPECT_FALSE(read_s3_page(tower));
}

TEST(S3Listing, SaysWhatWasRefused) {
  const std::string xml = "<Error><Code>AccessDenied</Code><Message>no\x1b[31m</Message><Region>eu-1</Region></Error>";
  EXPECT_EQ(storage_error_text(xml), "AccessDenied: no\\u001b[31m");
  EXPECT_EQ(s3_error_region(xml), "eu-1");
  EXPECT_EQ(storage_error_text("<html>"), "");
}

}  // namespace
}  // namespace det::storage
