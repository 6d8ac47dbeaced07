// The examples of AWS' documentation, "Signature Calculations for the Authorization Header: Single Chunk".

#include "storage/aws_signature.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace det::storage {
namespace {

const AwsKeys kKeys{.access_key = "AKIAIOSFODNN7EXAMPLE", .secret_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};

std::string authorization(const AwsRequest& request) {
  const HttpHeaders headers = sign_request(request, kKeys, *parse_rfc3339("2013-05-24T00:00:00Z"));
  const auto found = std::ranges::find(headers, "authorization", &std::pair<std::string, std::string>::first);
  return found == headers.end() ? "" : found->second;
}

TEST(AwsSignature, OfAPartOfAnObject) {
  const AwsRequest request{.host = "examplebucket.s3.amazonaws.com",
                           .path = "/test.txt",
                           .headers = {{"range", "bytes=0-9"}},
                           .region = "us-east-1"};
  EXPECT_EQ(authorization(request),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(AwsSignature, OfAListing) {
  const AwsRequest request{.host = "examplebucket.s3.amazonaws.com",
                           .path = "/",
                           .query = {{"max-keys", "2"}, {"prefix", "J"}},
                           .region = "us-east-1"};
  EXPECT_NE(authorization(request).find("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
            std::string::npos);
}

}  // namespace
}  // namespace det::storage
