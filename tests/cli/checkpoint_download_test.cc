#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/archive_stream.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kUuid = "d49942f4-c795-4224-9952-0a7b4f37e523";

struct CheckpointDownload : CliTest {
  CheckpointDownload() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }
  static std::string archive(const std::string& metadata = {}) {
    ArchiveStream packing(ArchiveForm::kTar);
    if (!metadata.empty()) {
      EXPECT_TRUE(packing.begin("metadata.json", static_cast<std::int64_t>(metadata.size())));
      EXPECT_TRUE(packing.add(metadata));
    }
    EXPECT_TRUE(packing.begin("state/w.pt", 5));
    EXPECT_TRUE(packing.add("abcde"));
    EXPECT_TRUE(packing.finish());
    return packing.take();
  }
  void answer_checkpoint() {
    http.answer(200, {{"checkpoint",
                       {{"uuid", kUuid}, {"metadata", {{"steps_completed", 12}}}, {"training", Json::object()}}}});
  }
  void answer_files() {
    const std::string bytes = archive();
    http.stream_chunks({bytes.substr(0, 20), bytes.substr(20)}, test::StreamEnd::kEnds);
  }
  std::string target = (folder.path() / "out").string();
};

TEST_F(CheckpointDownload, WritesFilesAndMetadata) {
  answer_checkpoint();
  answer_files();
  const Outcome done = det({"checkpoint", "download", kUuid, "-o", target, "-q"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, target + "\n");
  EXPECT_EQ(folder.read("out/state/w.pt"), "abcde");
  EXPECT_THAT(folder.read("out/metadata.json"), HasSubstr("\"steps_completed\": 12"));
  EXPECT_FALSE(std::filesystem::exists(target + "/.download-" + kUuid + ".tar"));
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/checkpoints/" + kUuid, "GET /checkpoints/" + kUuid));
}

TEST_F(CheckpointDownload, SaysTheFolderWhereScriptsOfThePythonCommandLineReadIt) {
  answer_checkpoint();
  answer_files();
  const Outcome done = det({"checkpoint", "download", kUuid, "-o", target});
  EXPECT_THAT(done.out, testing::StartsWith("Local checkpoint path:\n" + target + "\n\n Experiment ID   |"));
  EXPECT_EQ(done.err, "");
}

TEST_F(CheckpointDownload, OfWhatIsThereAlreadyDoesNothing) {
  folder.write("out/metadata.json", "{}");
  answer_checkpoint();
  const Outcome done = det({"checkpoint", "download", kUuid, "-o", target});
  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.err, HasSubstr("has a checkpoint already"));
  EXPECT_EQ(http.asked().size(), 1U);
}

TEST_F(CheckpointDownload, IntoAFolderWithAnotherOneIsRefused) {
  folder.write("out/metadata.json", "{}");
  folder.write("out/state/w.pt", "abcde");
  const auto download = [&](const std::string& size) {
    http.answer(200, {{"checkpoint",
                       {{"uuid", kUuid},
                        {"resources", {{"state/", "0"}, {"state/w.pt", size}, {"metadata.json", "99"}}},
                        {"training", Json::object()}}}});
    return det({"checkpoint", "download", kUuid, "-o", target});
  };
  EXPECT_EQ(download("5").code, 0);
  const Outcome other = download("6");
  EXPECT_NE(other.code, 0);
  EXPECT_THAT(other.err, HasSubstr("--output-dir: " + target + " has another checkpoint"));
  EXPECT_EQ(folder.read("out/state/w.pt"), "abcde");
}

TEST_F(CheckpointDownload, WaitsForNoOtherIntoItsFolder) {
  std::filesystem::create_directories(target);
  const int held = ::open(target.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  answer_checkpoint();
  const Outcome second = det({"checkpoint", "download", kUuid, "-o", target});
  ::close(held);
  EXPECT_NE(second.code, 0);
  EXPECT_THAT(second.err, HasSubstr("another det downloads into " + target));
  answer_checkpoint();
  answer_files();
  EXPECT_EQ(det({"checkpoint", "download", kUuid, "-o", target}).code, 0);
}

TEST_F(CheckpointDownload, ThatEndsTooEarlyLeavesNoCheckpoint) {
  answer_checkpoint();
  http.stream_chunks({archive().substr(0, 20)}, test::StreamEnd::kBreaks);
  const Outcome broken = det({"checkpoint", "download", kUuid, "-o", target});
  EXPECT_NE(broken.code, 0);
  EXPECT_FALSE(std::filesystem::exists(target + "/metadata.json"));
  EXPECT_TRUE(std::filesystem::is_empty(target));
  answer_checkpoint();
  http.answer(400, {{"message", "checkpoint x cannot be read by this server"}});
  EXPECT_THAT(det({"checkpoint", "download", kUuid, "-o", target}).err, HasSubstr("cannot be read by this server"));
}

// The harness writes metadata.json into the checkpoint, and it comes before what is larger.
TEST_F(CheckpointDownload, ThatCannotBeUnpackedIsNotTakenForOneThatIsThere) {
  std::string whole = archive("{}");
  const std::size_t at = whole.find("state/");
  ASSERT_NE(at, std::string::npos);
  whole.replace(at, 6, "../../");
  answer_checkpoint();
  http.stream_chunks({whole}, test::StreamEnd::kEnds);
  EXPECT_NE(det({"checkpoint", "download", kUuid, "-o", target}).code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(target));
  answer_checkpoint();
  http.stream_chunks({archive("{}")}, test::StreamEnd::kEnds);
  const Outcome done = det({"checkpoint", "download", kUuid, "-o", target, "-q"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(folder.read("out/metadata.json"), "{}");
  EXPECT_EQ(folder.read("out/state/w.pt"), "abcde");
  EXPECT_FALSE(std::filesystem::exists(target + "/.download-" + kUuid));
}

TEST_F(CheckpointDownload, IsPutBesideWhatIsInTheFolder) {
  folder.write("out/state/mine.txt", "mine");
  folder.write("out/state/w.pt", "old");
  answer_checkpoint();
  answer_files();
  EXPECT_EQ(det({"checkpoint", "download", kUuid, "-o", target}).code, 0);
  EXPECT_EQ(folder.read("out/state/mine.txt"), "mine");
  EXPECT_EQ(folder.read("out/state/w.pt"), "abcde");
}

struct ResumedDownload : CheckpointDownload {
  static HttpResponse head(int status, const std::string& tag, const std::string& range = "") {
    HttpResponse answer{.status = status, .headers = {{"etag", tag}}, .body = {}};
    if (!range.empty()) answer.headers.emplace_back("content-range", range);
    return answer;
  }
  // The bytes from `first` up to `last`, of which there are `all`.
  static std::string bytes_text(std::size_t first) {
    const std::string total = std::to_string(archive().size());
    return "bytes " + std::to_string(first) + "-" + std::to_string(archive().size() - 1) + "/" + total;
  }
  Outcome download() { return det({"checkpoint", "download", kUuid, "-o", target, "-q"}); }
  static std::string header(const HttpRequest& request, const std::string& name) {
    for (const auto& [one, value] : request.headers) {
      if (one == name) return value;
    }
    return "";
  }
};

TEST_F(ResumedDownload, GoesOnWhereTheConnectionWasLost) {
  const std::string whole = archive();
  answer_checkpoint();
  http.stream_answer(head(200, "\"v1\""), {whole.substr(0, 700)}, test::StreamEnd::kBreaks);
  http.answer(503, {{"message", "away"}});
  http.stream_answer(head(206, "\"v1\"", bytes_text(700)), {whole.substr(700, 100)}, test::StreamEnd::kBreaks);
  http.stream_answer(head(206, "\"v1\"", bytes_text(800)), {whole.substr(800)}, test::StreamEnd::kEnds);
  const Outcome done = download();
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(folder.read("out/state/w.pt"), "abcde");
  EXPECT_THAT(done.err, HasSubstr("The connection was lost after 700.0B; going on from there (try 2 of 5)"));
  EXPECT_EQ(header(http.requests().at(1), "Accept"), "application/x-tar");
  EXPECT_EQ(header(http.requests().at(1), "Range"), "");
  EXPECT_EQ(header(http.requests().at(3), "Range"), "bytes=700-");
  EXPECT_EQ(header(http.requests().at(3), "If-Range"), "\"v1\"");
  EXPECT_EQ(header(http.requests().at(4), "Range"), "bytes=800-");
}

TEST_F(ResumedDownload, IsWholeWhenOnlyItsEndWasLost) {
  const std::string whole = archive();
  answer_checkpoint();
  http.stream_answer(head(200, "\"v1\""), {whole}, test::StreamEnd::kBreaks);
  http.stream_answer(head(416, "\"v1\"", "bytes */" + std::to_string(whole.size())), {}, test::StreamEnd::kEnds);
  const Outcome done = download();
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(folder.read("out/state/w.pt"), "abcde");
  EXPECT_EQ(header(http.requests().back(), "Range"), "bytes=" + std::to_string(whole.size()) + "-");
}

TEST_F(ResumedDownload, OfFewerBytesThanCameFails) {
  answer_checkpoint();
  http.stream_answer(head(200, "\"v1\""), {archive()}, test::StreamEnd::kBreaks);
  http.stream_answer(head(416, "\"v1\"", "bytes */7"), {}, test::StreamEnd::kEnds);
  EXPECT_NE(download().code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(target));
}

TEST_F(ResumedDownload, OfAnotherVersionBeginsAnew) {
  const std::string whole = archive();
  answer_checkpoint();
  http.stream_answer(head(200, "\"v1\""), {std::string(3000, 'x')}, test::StreamEnd::kBreaks);
  http.stream_answer(head(200, "\"v2\""), {whole.substr(0, 600)}, test::StreamEnd::kBreaks);
  http.stream_answer(head(206, "\"v2\"", bytes_text(600)), {whole.substr(600)}, test::StreamEnd::kEnds);
  const Outcome done = download();
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("The checkpoint was written anew meanwhile"));
  EXPECT_EQ(folder.read("out/state/w.pt"), "abcde");
  EXPECT_EQ(header(http.requests().at(3), "If-Range"), "\"v2\"");
}

TEST_F(ResumedDownload, TakesNoOtherPart) {
  answer_checkpoint();
  http.stream_answer(head(200, "\"v1\""), {archive().substr(0, 700)}, test::StreamEnd::kBreaks);
  http.stream_answer(head(206, "\"v2\"", bytes_text(700)), {archive().substr(700)}, test::StreamEnd::kEnds);
  const Outcome mixed = download();
  EXPECT_NE(mixed.code, 0);
  EXPECT_THAT(mixed.err, HasSubstr("another part of the checkpoint than the one it was asked for"));
  EXPECT_TRUE(std::filesystem::is_empty(target));
}

TEST_F(ResumedDownload, GivesUpWhereNothingComes) {
  answer_checkpoint();
  http.stream_answer(head(200, "\"v1\""), {archive().substr(0, 700)}, test::StreamEnd::kBreaks);
  for (int i = 0; i < 4; ++i) http.fail_with(ErrorCode::kUnavailable, "refused");
  const Outcome done = download();
  EXPECT_NE(done.code, 0);
  EXPECT_THAT(done.err, HasSubstr("(try 5 of 5)"));
  EXPECT_EQ(http.requests().size(), 6U);
  EXPECT_TRUE(std::filesystem::is_empty(target));
}

TEST_F(CheckpointDownload, DirectIsForTheOtherProgram) {
  EXPECT_THAT(det({"checkpoint", "download", kUuid, "--mode", "direct"}).err, HasSubstr("--mode direct: this program"));
  EXPECT_TRUE(http.requests().empty());
}

TEST_F(CheckpointDownload, OfATrialIsTheOneThatIsAskedFor) {
  const Json one = {{"checkpoints", {{{"uuid", kUuid}}}}, {"pagination", {{"total", 1}, {"endIndex", 1}}}};
  const auto asked_for = [&](std::vector<std::string> which) {
    http.answer(200, one);
    answer_checkpoint();
    answer_files();
    std::vector<std::string> words = {"trial", "download", "7", "-o", target, "-q"};
    words.insert(words.end(), which.begin(), which.end());
    const Outcome done = det(words);
    EXPECT_EQ(done.code, 0) << done.err;
    std::filesystem::remove_all(target);
    return http.asked()[http.asked().size() - 3];
  };
  EXPECT_THAT(asked_for({"--best"}), HasSubstr("sortByAttr=SORT_BY_SEARCHER_METRIC"));
  EXPECT_THAT(asked_for({"--latest"}), HasSubstr("sortByAttr=SORT_BY_BATCH_NUMBER&orderBy=ORDER_BY_DESC"));
  EXPECT_THAT(asked_for({"--best", "--sort-by", "acc", "--smaller-is-better", "false"}),
              HasSubstr("sortByMetric=acc&orderBy=ORDER_BY_DESC"));
}

TEST_F(CheckpointDownload, OfATrialNeedsOneWish) {
  EXPECT_NE(det({"trial", "download", "7"}).code, 0);
  EXPECT_NE(det({"trial", "download", "7", "--best", "--latest"}).code, 0);
  EXPECT_THAT(det({"trial", "download", "7", "--best", "--sort-by", "acc"}).err, HasSubstr("must be set together"));
  EXPECT_TRUE(http.requests().empty());
  http.answer(200, {{"checkpoints", Json::array()}, {"pagination", {{"total", 0}, {"endIndex", 0}}}});
  EXPECT_THAT(det({"trial", "download", "7", "--latest"}).err, HasSubstr("No checkpoints found for trial 7"));
}

}  // namespace
}  // namespace det::cli
