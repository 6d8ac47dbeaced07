#include "storage/gcs_files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/fake_transport.h"
#include "tests/support/run_task.h"

namespace det::storage {
namespace {

using nlohmann::json;

const std::string kUuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

json object(const std::string& name, const std::string& size) {
  return {{"name", name}, {"size", size}, {"generation", "17"}};
}

struct GcsFilesTest : testing::Test {
  ~GcsFilesTest() override { workers.join(); }
  Result<std::vector<StoredFile>> list() { return test::run_task(io, files.list()); }
  void answer_page(const std::vector<json>& items, const std::string& next = "") {
    json page = {{"kind", "storage#objects"}, {"items", items}};
    if (!next.empty()) page["nextPageToken"] = next;
    transport.answer(200, page);
  }

  asio::io_context io;
  SystemClock clock;
  test::FakeTransport transport{io.get_executor(), clock};
  boost::asio::thread_pool workers{1};
  GcsIdentity identity{transport, clock, workers, {.emulator = "http://gcs:4443"}};
  GcsFiles files{transport, clock, workers, identity, {.bucket = "ckpt", .prefix = "of/us"}, kUuid};
};

TEST_F(GcsFilesTest, ListsPageByPage) {
  answer_page({object("of/us/" + kUuid + "/b", "2"), object("of/us/" + kUuid + "/sub/", "0")}, "n=");
  answer_page({object("of/us/" + kUuid + "/a", "5000000000")});
  const auto listed = list();
  ASSERT_TRUE(listed) << listed.error().message;
  const std::vector<StoredFile> wanted = {{.path = "a", .bytes = 5'000'000'000, .version = "17"},
                                          {.path = "b", .bytes = 2, .version = "17"},
                                          {.path = "sub/", .bytes = 0, .version = "17"}};
  EXPECT_EQ(*listed, wanted);
  const std::string query = "fields=kind%2CnextPageToken%2Citems%28name%2Csize%2Cgeneration%29&maxResults=1000&";
  const std::vector<std::string> asked = {
      "GET /storage/v1/b/ckpt/o?" + query + "prefix=of%2Fus%2F" + kUuid + "%2F",
      "GET /storage/v1/b/ckpt/o?" + query + "pageToken=n%3D&prefix=of%2Fus%2F" + kUuid + "%2F"};
  EXPECT_EQ(transport.asked(), asked);
}

TEST_F(GcsFilesTest, SaysWhatTheStorageSays) {
  transport.answer(403, {{"error", {{"message", "reader@ours does not have storage.objects.list access"}}}});
  const auto refused = list();
  EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(refused.error().message,
            "http://gcs:4443, bucket 'ckpt', answers 403, reader@ours does not have storage.objects.list access");
  answer_page({});
  EXPECT_EQ(list().error().code, ErrorCode::kNotFound);
  answer_page({object("of/us/" + kUuid + "/../up", "1")});
  EXPECT_EQ(list().error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(GcsFilesTest, ReadsPartsOfTheListedGeneration) {
  transport.answer({.status = 206, .headers = {}, .body = "345"});
  const StoredFile file{.path = "sub/m o.pt", .bytes = 10, .version = "17"};
  EXPECT_EQ(test::run_task(io, files.read(file, 3, 3)).value(), "345");
  EXPECT_EQ(transport.asked().back(),
            "GET /storage/v1/b/ckpt/o/of%2Fus%2F" + kUuid + "%2Fsub%2Fm%20o.pt?alt=media&generation=17");
  EXPECT_EQ(transport.requests().back().headers.at(0), (std::pair<std::string, std::string>("range", "bytes=3-5")));
}

TEST(GcsPage, RefusesWhatIsNone) {
  for (const char* text : {"", "<html>", "[]", "{}", R"({"kind":"storage#objects","items":[{"name":"a","size":"x"}]})",
                           R"({"kind":"storage#objects","items":[{"name":"a","size":-1}]})"}) {
    EXPECT_FALSE(read_gcs_page(text)) << text;
  }
  EXPECT_FALSE(read_gcs_page(std::string(1'000'000, '['))) << "a tower";
}

TEST(GcsBucket, IsAName) {
  for (const char* name : {"", "A", "a/b", "a?b", "..%2f", "a b"})
    EXPECT_FALSE(check_bucket(GcsBucket{.bucket = name}));
  EXPECT_TRUE(check_bucket(GcsBucket{.bucket = "ours.example_1-2"}));
}

}  // namespace
}  // namespace det::storage
