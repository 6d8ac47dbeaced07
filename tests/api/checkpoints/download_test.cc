#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <stdlib.h>

#include "base/tgz.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Downloads : ApiTest {
  Downloads() : trial(started_trial_of(model::ExperimentId{create()}, "01")) {
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    store_in({{"type", "shared_fs"}, {"host_path", folder}, {"storage_path", "ckpt"}});
    must(checkpoints.report({.uuid = uuid,
                             .task_id = trial.task_id,
                             .allocation_id = trial.task_id + ".1",
                             .report_time = WallTime(std::chrono::seconds(1)),
                             .steps = 1,
                             .resources = {{"w", 3}}}));
  }
  ~Downloads() override { fs::remove_all(folder); }

  void store_in(const json& storage) {
    sql("UPDATE experiments SET config = jsonb_set(config, '{checkpoint_storage}', '" + storage.dump() +
        "') RETURNING 1");
  }
  void save_files() const {
    fs::create_directories(fs::path(folder) / "ckpt" / uuid / "sub");
    std::ofstream(fs::path(folder) / "ckpt" / uuid / "w") << "abc";
    std::ofstream(fs::path(folder) / "ckpt" / uuid / "sub" / "big") << std::string(5 << 20, 'x');
  }
  Answer download(const std::string& accept, const std::string& of = "") {
    headers = {{"Accept", accept}};
    return get("/checkpoints/" + (of.empty() ? uuid : of));
  }

  std::string folder = "/tmp/downloads-XXXXXX";
  std::string uuid = uuid_v4();
  store::TrialRow trial;
};

TEST_F(Downloads, AreTheFilesAsOneArchive) {
  save_files();
  const Answer tgz = download("application/gzip");
  ASSERT_EQ(tgz.status, 200) << tgz.text;
  EXPECT_EQ(tgz.headers.find("Content-Type"), "application/gzip");
  EXPECT_EQ(tgz.headers.find("Content-Disposition"), "attachment; filename=\"" + uuid + ".tar.gz\"");
  const auto entries = unpack_tgz(tgz.text, 10 << 20);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[1].path, "sub/big");
  EXPECT_EQ((*entries)[1].content, std::string(5 << 20, 'x'));
  EXPECT_EQ((*entries)[2].content, "abc");
  EXPECT_FALSE(tgz.is_cut);
  const Answer zip = download("application/zip");
  EXPECT_TRUE(zip.text.starts_with("PK"));
  EXPECT_GT(zip.text.size(), std::size_t{5} << 20);
  EXPECT_EQ(download("*/*").headers.find("Content-Type"), "application/x-tar");
}

TEST_F(Downloads, SayWhatIsWrong) {
  EXPECT_EQ(download("text/html").status, 415);
  EXPECT_THAT(download("text/html").text, HasSubstr("unsupported media type to download a checkpoint: 'text/html'"));
  EXPECT_EQ(download("*/*", "x").status, 404);
  EXPECT_EQ(download("*/*", uuid_v4()).status, 404);
  const Answer away = download("*/*");
  EXPECT_EQ(away.status, 400) << away.text;
  EXPECT_THAT(away.text, HasSubstr("cannot be read by this server"));
  EXPECT_THAT(away.text, HasSubstr("--mode direct"));
  store_in({{"type", "hdfs"}});
  EXPECT_EQ(download("*/*").status, 501);
  sql("WITH r AS (INSERT INTO removals (experiment_id, storage, globs, tensorboard, reason) SELECT id, '{}', '[]', "
      "false, "
      "'' FROM experiments RETURNING id) INSERT INTO removal_checkpoints (removal_id, uuid) SELECT id, '" +
      uuid + "' FROM r RETURNING 1");
  EXPECT_EQ(download("*/*").status, 400);
  EXPECT_THAT(download("*/*").text, HasSubstr("are being removed"));
  sql("UPDATE checkpoints SET state = 'DELETED' RETURNING 1");
  EXPECT_THAT(download("*/*").text, HasSubstr("was deleted"));
}

TEST_F(Downloads, OfS3DialWhereTheyMay) {
  const json s3 = {{"type", "s3"}, {"bucket", "b"}, {"access_key", "k"}, {"secret_key", "s"}};
  json elsewhere = s3;
  elsewhere["endpoint_url"] = "http://169.254.169.254";
  store_in(elsewhere);
  EXPECT_EQ(download("*/*").status, 403);
  EXPECT_TRUE(storage_calls.requests().empty());
  json ours = s3;
  ours["endpoint_url"] = "http://minio:9000";
  store_in(ours);
  storage_calls.answer(
      {.status = 200,
       .body = "<ListBucketResult><Contents><Key>" + uuid + "/w</Key><Size>3</Size></Contents></ListBucketResult>"});
  storage_calls.answer({.status = 206, .body = "abc"});
  const auto entries = unpack_tgz(download("application/gzip").text, 100);
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_EQ(entries->at(0).content, "abc");
}

TEST_F(Downloads, OfGoogleReadWhatTheyMay) {
  store_in({{"type", "gcs"}, {"bucket", "somebody-elses"}});
  const Answer refused = download("*/*");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.text, HasSubstr("this server does not read 'gs://somebody-elses' for its users"));
  EXPECT_TRUE(storage_calls.requests().empty());
  store_in({{"type", "gcs"}, {"bucket", "ours"}});
  storage_calls.answer(
      200, {{"kind", "storage#objects"}, {"items", {{{"name", uuid + "/w"}, {"size", "3"}, {"generation", "1"}}}}});
  storage_calls.answer({.status = 206, .headers = {}, .body = "abc"});
  const auto entries = unpack_tgz(download("application/gzip").text, 100);
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_EQ(entries->at(0).content, "abc");
}

TEST_F(Downloads, OfAzureDialWhereTheyMay) {
  json azure = {{"type", "azure"}, {"container", "ckpt"}, {"account_url", "http://169.254.169.254"}};
  store_in(azure);
  EXPECT_EQ(download("*/*").status, 403);
  EXPECT_TRUE(storage_calls.requests().empty());
  azure["account_url"] = "https://ours.blob.core.windows.net";
  azure["credential"] = "sv=1&sig=secret";
  store_in(azure);
  storage_calls.answer({.status = 403, .headers = {}, .body = "<Error><Code>AuthorizationFailure</Code></Error>"});
  const Answer refused = download("*/*");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.text, HasSubstr("container 'ckpt', answers 403, AuthorizationFailure"));
  EXPECT_THAT(refused.text, testing::Not(HasSubstr("secret")));
}

struct Resumed : Downloads {
  Answer part(const std::string& range, const std::string& if_range = "", const std::string& accept = "*/*") {
    headers = {{"Accept", accept}, {"Range", range}};
    if (!if_range.empty()) headers.add("If-Range", if_range);
    return get("/checkpoints/" + uuid);
  }
  static std::string header(const Answer& answer, const char* name) {
    return std::string(answer.headers.find(name).value_or(""));
  }
};

TEST_F(Resumed, TarsGoOnAnywhere) {
  save_files();
  const Answer whole = download("application/x-tar");
  ASSERT_EQ(whole.status, 200) << whole.text.substr(0, 300);
  EXPECT_EQ(header(whole, "Accept-Ranges"), "bytes");
  const std::string tag = header(whole, "ETag");
  EXPECT_TRUE(tag.starts_with('"')) << "a strong one: " << tag;
  const std::string total = std::to_string(whole.text.size());
  // In the header of "sub/", at its end, in the content of "sub/big" and at pieces' edges, in its padding, in the end.
  for (const std::size_t first : {0UL, 1UL, 511UL, 512UL, 700UL, 1024UL, (2UL << 20) + 1024, (3UL << 20) + 7,
                                  1024 + (5UL << 20), whole.text.size() - 1024, whole.text.size() - 1}) {
    const Answer rest = part("bytes=" + std::to_string(first) + "-", tag);
    ASSERT_EQ(rest.status, 206) << first;
    EXPECT_TRUE(rest.text == whole.text.substr(first)) << "from " << first;
    EXPECT_EQ(header(rest, "Content-Range"),
              "bytes " + std::to_string(first) + "-" + std::to_string(whole.text.size() - 1) + "/" + total);
    EXPECT_EQ(header(rest, "ETag"), tag);
    const Answer some = part("bytes=" + std::to_string(first) + "-" + std::to_string(first + 99));
    EXPECT_TRUE(some.text == whole.text.substr(first, 100)) << "100 from " << first;
  }
  const Answer behind = part("bytes=" + total + "-", tag);
  EXPECT_EQ(behind.status, 416);
  EXPECT_EQ(header(behind, "Content-Range"), "bytes */" + total);
  EXPECT_TRUE(part("bytes=0-0,5-9").text == whole.text) << "one range only";
}

TEST_F(Resumed, ChangedFilesAreSentFromTheirBeginning) {
  save_files();
  const std::string tag = header(download("application/x-tar"), "ETag");
  EXPECT_EQ(header(download("application/x-tar"), "ETag"), tag) << "while nothing changes";
  const auto file = fs::path(folder) / "ckpt" / uuid / "w";
  std::ofstream(file) << "xyz";
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
  const Answer whole = part("bytes=600-", tag);
  EXPECT_EQ(whole.status, 200);
  EXPECT_NE(header(whole, "ETag"), tag);
  EXPECT_TRUE(whole.text == download("application/x-tar").text);
}

TEST_F(Resumed, CompressedArchivesAndZipsAreSentWhole) {
  save_files();
  for (const char* form : {"application/gzip", "application/zip"}) {
    const Answer whole = part("bytes=600-", "", form);
    EXPECT_EQ(whole.status, 200);
    EXPECT_EQ(header(whole, "ETag"), "");
    EXPECT_EQ(header(whole, "Accept-Ranges"), "");
  }
}

// A file that becomes shorter while it is sent must not look like the whole of it.
TEST_F(Downloads, EndInTheMiddleWhenAFileCannotBeRead) {
  const json s3 = {
      {"type", "s3"}, {"bucket", "b"}, {"access_key", "k"}, {"secret_key", "s"}, {"endpoint_url", "http://minio:9000"}};
  store_in(s3);
  storage_calls.answer({.status = 200,
                        .body = "<ListBucketResult><Contents><Key>" + uuid +
                                "/a</Key><Size>1</Size></Contents><Contents><Key>" + uuid +
                                "/b</Key><Size>3</Size></Contents></ListBucketResult>"});
  storage_calls.answer({.status = 206, .body = "x"});
  storage_calls.answer({.status = 206, .body = "ab"});
  const Answer answer = download("application/x-tar");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.is_cut);
}

}  // namespace
}  // namespace det::api
