#include "api/logs/log_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/logs/log_quote.h"
#include "api/logs/plain_log_lines.h"

namespace det::api {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::string& log) {
  std::vector<store::LogLine> lines;
  add_line({.log = log,
            .timestamp = "",
            .level = "",
            .stdtype = "",
            .allocation_id = "a",
            .container_id = "",
            .agent_id = "",
            .source = "",
            .rank = 3},
           WallTime(), lines);
  std::vector<std::string> all;
  for (const store::LogLine& line : lines) {
    EXPECT_EQ(line.allocation_id, "a");
    EXPECT_EQ(line.rank, 3);
    all.push_back(line.text);
  }
  return all;
}

TEST(PostedLine, IsOneUnlessItIsVeryLong) {
  EXPECT_THAT(texts(""), ElementsAre("\n"));
  EXPECT_THAT(texts("one"), ElementsAre("one\n"));
  EXPECT_THAT(texts("one\ntwo\n"), ElementsAre("one\ntwo\n"));
  const std::string longest(kLongestLine, 'x');
  EXPECT_THAT(texts(longest), ElementsAre(longest + "\n"));
  EXPECT_THAT(texts(longest + "\n"), ElementsAre(longest + "\n"));
}

TEST(PostedLine, ComesInPiecesOfWhichNothingIsLost) {
  const std::string longest(kLongestLine, 'x');
  EXPECT_THAT(texts(longest + longest + "yz\n"), ElementsAre(longest + "\n", longest + "\n", "yz\n"));
  EXPECT_THAT(texts("a\nb\n" + longest), ElementsAre("a\nb\n", longest + "\n"));
  // Not within a character: each of these has four bytes.
  std::string smiles;
  for (std::size_t i = 0; i < kLongestLine / 2; ++i) smiles += "\xF0\x9F\x98\x80";
  std::string back;
  for (const std::string& piece : texts("x" + smiles)) {
    EXPECT_LE(piece.size(), kLongestLine + 1);
    EXPECT_EQ(piece.back(), '\n');
    EXPECT_NE(static_cast<unsigned char>(piece.front()) & 0xC0, 0x80);
    back += piece.substr(0, piece.size() - 1);
  }
  EXPECT_EQ(back, "x" + smiles);
  EXPECT_EQ(texts(std::string(3 * kLongestLine, '\x80')).size(), 4U) << "what is no text is cut somewhere";
}

TEST(PostedLine, HasNamesOfABoundedSize) {
  const std::string body =
      R"({"logs": [{"taskId": "t", "log": "x", "agentId": ")" + std::string(1 << 20, 'n') + R"("}]})";
  const auto posted = read_plain_lines(body, WallTime());
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->lines.at(0).agent_id, std::string(1024, 'n'));
  EXPECT_EQ(read_posted_lines(wire::Json::parse(body), WallTime()).value(), *posted);
}

WallTime noon() {
  return *parse_rfc3339("2026-12-01T12:00:00Z");
}

// As a harness posts what a program of its printed.
TEST(PostedLine, MayHoldWhatIsNoText) {
  const auto body = parse_log_body(R"({"logs": [{"taskId": "t", "log": "caf\udce9 a\u0000b"}]})");
  ASSERT_TRUE(body) << body.error().message;
  const auto posted = read_posted_lines(*body, noon());
  ASSERT_TRUE(posted) << posted.error().message;
  EXPECT_EQ(posted->lines.at(0).text, std::string("caf\uFFFD a\0b\n", 11));
  EXPECT_THAT(parse_log_body(R"({"logs": "\u12"})").error().message, testing::HasSubstr("is not JSON"));
  EXPECT_THAT(parse_log_body("{\"logs\": \"\xff\"}").error().message, testing::HasSubstr("is not JSON"));
}

TEST(PostedLine, IsNotLostOverADetail) {
  const wire::Json line = {{"taskId", "t"},     {"log", "x"},      {"level", 7},
                           {"rankId", "first"}, {"source", {1}},   {"stdtype", true},
                           {"agentId", 1},      {"timestamp", 12}, {"containerId", std::string("a\0", 2)}};
  const auto posted = read_posted_lines({{"logs", {line}}}, noon());
  ASSERT_TRUE(posted) << posted.error().message;
  const store::LogLine& kept = posted->lines.at(0);
  EXPECT_EQ(kept.text, "x\n");
  EXPECT_EQ(kept.time, noon());
  EXPECT_EQ(kept.level, store::LineLevel::kUnspecified);
  EXPECT_EQ(kept.rank, std::nullopt);
  EXPECT_EQ(kept.source, "");
  EXPECT_EQ(kept.container_id, "a");
  const auto refused = [](const wire::Json& one) {
    return read_posted_lines({{"logs", {one}}}, noon()).error().message;
  };
  EXPECT_EQ(refused({{"taskId", 5}, {"log", "x"}}), "logs[0].taskId: expected a string, got 5");
  EXPECT_EQ(refused({{"taskId", "t"}, {"log", 5}}), "logs[0].log: expected a string, got 5");
}

TEST(PostedLine, OfATaskWithANulInItsNameIsRefusedByBothReaders) {
  const std::string body = R"({"logs": [{"task_id": "a\u0000", "log": "x"}]})";
  EXPECT_FALSE(read_plain_lines(body, noon()));
  EXPECT_FALSE(read_posted_lines(parse_log_body(body).value(), noon()));
}

TEST(QuotedLine, HasNoNulNoEndAndABoundedSize) {
  EXPECT_EQ(without_end("a\r\n\n"), "a");
  EXPECT_EQ(quote_line(std::string_view("a\0b", 3), 10), "ab");
  EXPECT_EQ(quote_line("caf\u00e9", 4), "caf") << "not cut within a character";
}

}  // namespace
}  // namespace det::api
