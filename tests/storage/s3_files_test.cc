#include "storage/s3_files.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/fake_transport.h"
#include "tests/support/run_task.h"

namespace det::storage {
namespace {

const std::string kUuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

std::string listing(const std::string& contents, const std::string& next = "") {
  return "<ListBucketResult>" + contents +
         (next.empty() ? ""
                       : "<IsTruncated>true</IsTruncated><NextContinuationToken>" + next + "</NextContinuationToken>") +
         "</ListBucketResult>";
}

std::string object(const std::string& key, int bytes) {
  return "<Contents><Key>" + key + "</Key><Size>" + std::to_string(bytes) + "</Size></Contents>";
}

class S3FilesTest : public testing::Test {
 protected:
  ~S3FilesTest() override { workers.join(); }
  S3Bucket bucket() {
    return {.bucket = "ckpt",
            .endpoint = "http://minio:9000",
            .prefix = "/of/us/",
            .keys = {.access_key = "k", .secret_key = "s"}};
  }
  Result<std::vector<StoredFile>> list(S3Bucket of) {
    S3Files files(transport, clock, workers, std::move(of), kUuid);
    return test::run_task(io, files.list());
  }
  void answer(int status, std::string body, HttpHeaders headers = {}) {
    transport.answer({.status = status, .headers = std::move(headers), .body = std::move(body)});
  }

  asio::io_context io;
  SystemClock clock;
  test::FakeTransport transport{io.get_executor(), clock};
  boost::asio::thread_pool workers{1};
};

TEST_F(S3FilesTest, ListsPageByPageWhatIsBelowTheCheckpoint) {
  answer(200, listing(object("of/us/" + kUuid + "/b", 2) + object("of/us/" + kUuid + "/", 0), "n="));
  answer(200, listing(object("of/us/" + kUuid + "/a/c", 3) + object("elsewhere", 1)));
  const auto listed = list(bucket());
  ASSERT_TRUE(listed) << listed.error().message;
  const std::vector<StoredFile> wanted = {{.path = "a/c", .bytes = 3}, {.path = "b", .bytes = 2}};
  EXPECT_EQ(*listed, wanted);
  const std::vector<std::string> asked = {
      "GET /ckpt/?encoding-type=url&list-type=2&prefix=of%2Fus%2F" + kUuid + "%2F",
      "GET /ckpt/?continuation-token=n%3D&encoding-type=url&list-type=2&prefix=of%2Fus%2F" + kUuid + "%2F"};
  EXPECT_EQ(transport.asked(), asked);
}

TEST_F(S3FilesTest, SaysWhatTheStorageSays) {
  answer(403, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>");
  const auto refused = list(bucket());
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(refused.error().message, "http://minio:9000 answers 403, AccessDenied: no");
  answer(200, listing(""));
  EXPECT_EQ(list(bucket()).error().code, ErrorCode::kNotFound);
  answer(200, listing(object("of/us/" + kUuid + "/../../up", 1)));
  EXPECT_EQ(list(bucket()).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(S3FilesTest, GoesToTheRegionOfTheBucket) {
  S3Bucket of = bucket();
  of.endpoint = "";
  answer(301, "", {{"x-amz-bucket-region", "eu-west-1"}});
  answer(200, listing(object("of/us/" + kUuid + "/a", 1)));
  ASSERT_TRUE(list(of));
  EXPECT_TRUE(transport.requests()[0].url.starts_with("https://ckpt.s3.us-east-1.amazonaws.com/?"));
  EXPECT_TRUE(transport.requests()[1].url.starts_with("https://ckpt.s3.eu-west-1.amazonaws.com/?"));
}

TEST_F(S3FilesTest, SignsForTheRegionThatAnEndpointNames) {
  answer(400, "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-central-1</Region></Error>");
  answer(200, listing(object("of/us/" + kUuid + "/a", 1)));
  ASSERT_TRUE(list(bucket()));
  const auto& asked = transport.requests();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0].url, asked[1].url);
  const auto scope = [](const HttpRequest& request) {
    for (const auto& [name, value] : request.headers) {
      if (name == "authorization") return value.substr(0, value.find(','));
    }
    return std::string();
  };
  EXPECT_TRUE(scope(asked[0]).ends_with("/us-east-1/s3/aws4_request")) << scope(asked[0]);
  EXPECT_TRUE(scope(asked[1]).ends_with("/eu-central-1/s3/aws4_request")) << scope(asked[1]);
}

TEST_F(S3FilesTest, WaitsForAStoreThatIsAskedTooOften) {
  answer(429, "");
  answer(200, listing(object("of/us/" + kUuid + "/a", 1)));
  EXPECT_TRUE(list(bucket()));
}

// A storage that answers with another host as its "region" must not lead there.
TEST_F(S3FilesTest, FollowsNoRegionThatIsNone) {
  S3Bucket of = bucket();
  of.endpoint = "";
  answer(301, "<Error><Region>evil.example/#</Region></Error>");
  EXPECT_FALSE(list(of));
  EXPECT_EQ(transport.requests().size(), 1U);
}

TEST_F(S3FilesTest, ReadsParts) {
  S3Files files(transport, clock, workers, bucket(), kUuid);
  answer(206, "345");
  EXPECT_EQ(test::run_task(io, files.read({.path = "m o.pt", .bytes = 10}, 3, 3)).value(), "345");
  EXPECT_EQ(transport.asked().back(), "GET /ckpt/of/us/" + kUuid + "/m%20o.pt");
  answer(206, "345");
  EXPECT_TRUE(test::run_task(io, files.read({.path = "a", .bytes = 10, .version = "\"e\""}, 3, 3)));
  const HttpHeaders& sent = transport.requests().back().headers;
  EXPECT_NE(std::ranges::find(sent, HttpHeaders::value_type("if-match", "\"e\"")), sent.end()) << "of this version";
  answer(200, "0123456789");
  EXPECT_FALSE(test::run_task(io, files.read({.path = "a", .bytes = 10}, 3, 3)))
      << "all of it, which it was not asked for";
}

TEST_F(S3FilesTest, TakesNoMoreThanItAskedFor) {
  S3Files files(transport, clock, workers, bucket(), kUuid);
  transport.stream_chunks({"0123456", "789abc"}, test::StreamEnd::kEnds);
  const auto got = test::run_task(io, files.read({.path = "a", .bytes = 10}, 0, 10));
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("sends more than it was asked for"), std::string::npos);
}

TEST_F(S3FilesTest, ABucketIsAName) {
  for (const char* name : {"", "evil.example/#", "a/b", "a?b", "a:80", "a@b"}) {
    S3Bucket of = bucket();
    of.bucket = name;
    EXPECT_FALSE(check_bucket(of)) << name;
  }
  for (const char* url : {"ftp://a", "http://", "http://a/b", "http://u@a", "http://a?b", "minio:9000"}) {
    S3Bucket of = bucket();
    of.endpoint = url;
    EXPECT_FALSE(check_bucket(of)) << url;
  }
  EXPECT_TRUE(check_bucket(bucket()));
}

}  // namespace
}  // namespace det::storage
