#include "storage/azure_files.h"

#include <gtest/gtest.h>

#include "tests/support/fake_transport.h"
#include "tests/support/run_task.h"

namespace det::storage {
namespace {

const std::string kUuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

std::string page(const std::string& blobs, const std::string& next = "") {
  return "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"utf-8\"?><EnumerationResults><Blobs>" + blobs +
         "</Blobs><NextMarker>" + next + "</NextMarker></EnumerationResults>";
}

std::string blob(const std::string& name, int bytes, const std::string& tag = "0x8D") {
  return "<Blob><Name>" + name + "</Name><Properties><Etag>" + tag + "</Etag><Content-Length>" + std::to_string(bytes) +
         "</Content-Length></Properties></Blob>";
}

struct AzureFilesTest : testing::Test {
  ~AzureFilesTest() override { workers.join(); }
  AzureFiles files(const std::string& container = "ckpt") {
    return {transport, clock,
            workers,   {.url = "https://ours.blob.core.windows.net", .name = "ours", .sas = "sv=1&sig=secret"},
            container, kUuid};
  }
  Result<std::vector<StoredFile>> list(const std::string& container = "ckpt") {
    AzureFiles of = files(container);
    return test::run_task(io, of.list());
  }
  void answer(int status, std::string body) {
    transport.answer({.status = status, .headers = {}, .body = std::move(body)});
  }

  asio::io_context io;
  SystemClock clock;
  test::FakeTransport transport{io.get_executor(), clock};
  boost::asio::thread_pool workers{1};
};

TEST_F(AzureFilesTest, ListsPageByPage) {
  answer(200, page(blob(kUuid + "/b &amp; c", 2) + blob(kUuid + "/sub/", 0), "n!1"));
  answer(200, page(blob(kUuid + "/a", 3, "\"0x9\"")));
  const auto listed = list();
  ASSERT_TRUE(listed) << listed.error().message;
  const std::vector<StoredFile> wanted = {{.path = "a", .bytes = 3, .version = "\"0x9\""},
                                          {.path = "b & c", .bytes = 2, .version = "\"0x8D\""},
                                          {.path = "sub/", .bytes = 0, .version = "\"0x8D\""}};
  EXPECT_EQ(*listed, wanted);
  const std::string first =
      "GET /ckpt?comp=list&maxresults=1000&prefix=" + kUuid + "%2F&restype=container&sv=1&sig=secret";
  const std::string second =
      "GET /ckpt?comp=list&marker=n%211&maxresults=1000&prefix=" + kUuid + "%2F&restype=container&sv=1&sig=secret";
  EXPECT_EQ(transport.asked(), (std::vector<std::string>{first, second}));
}

TEST_F(AzureFilesTest, FoldersOfANamespaceAreFolders) {
  answer(200, page("<Blob><Name>" + kUuid +
                   "/sub</Name><Properties><ResourceType>directory</ResourceType>"
                   "<Content-Length>0</Content-Length></Properties></Blob>"
                   "<Blob><Name Encoded=\"true\">" +
                   kUuid +
                   "/a%EF%BF%BFb</Name><Properties>"
                   "<Content-Length>1</Content-Length></Properties></Blob>"));
  const auto listed = list();
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->at(0).path,
            "a\xEF\xBF\xBF"
            "b");
  EXPECT_EQ(listed->at(1).path, "sub/");
}

// The harness puts what comes after a slash before its keys.
TEST_F(AzureFilesTest, AContainerMayHaveAPrefix) {
  answer(200, page(blob("of/us/" + kUuid + "/a", 3)));
  EXPECT_EQ(list("ckpt/of/us").value().at(0).path, "a");
  EXPECT_TRUE(transport.asked().at(0).starts_with("GET /ckpt?comp=list&maxresults=1000&prefix=of%2Fus%2F" + kUuid));
}

TEST_F(AzureFilesTest, SaysWhatTheStorageSaysAndNoSecret) {
  answer(403, "<?xml version=\"1.0\"?><Error><Code>AuthenticationFailed</Code><Message>no</Message></Error>");
  const auto refused = list();
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(refused.error().message,
            "https://ours.blob.core.windows.net, container 'ckpt', answers 403, AuthenticationFailed: no");
  answer(200, "{}");
  EXPECT_EQ(list().error().code, ErrorCode::kUnavailable);
  answer(200, page(blob(kUuid + "/../up", 1)));
  EXPECT_EQ(list().error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(AzureFilesTest, ReadsPartsOfTheListedVersion) {
  AzureFiles of = files();
  answer(206, "345");
  const StoredFile file{.path = "sub/m o.pt", .bytes = 10, .version = "\"0x8D\""};
  EXPECT_EQ(test::run_task(io, of.read(file, 3, 3)).value(), "345");
  EXPECT_EQ(transport.asked().back(), "GET /ckpt/" + kUuid + "/sub/m%20o.pt?sv=1&sig=secret");
  const HttpHeaders& headers = transport.requests().back().headers;
  EXPECT_EQ(headers.at(0), (std::pair<std::string, std::string>("x-ms-range", "bytes=3-5")));
  EXPECT_EQ(headers.at(1), (std::pair<std::string, std::string>("if-match", "\"0x8D\"")));
  answer(412, "");
  EXPECT_EQ(test::run_task(io, of.read(file, 3, 3)).error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(test::run_task(io, of.read(file, 0, 0)).value(), "");
}

TEST(AzureContainer, IsAName) {
  for (const char* name : {"ckpt", "ckpt/of/us", "$root"}) EXPECT_TRUE(check_container(name)) << name;
  for (const char* name : {"", "a", "A-B", "a?b", "a b c", "../x", "/ckpt"})
    EXPECT_FALSE(check_container(name)) << name;
}

}  // namespace
}  // namespace det::storage
