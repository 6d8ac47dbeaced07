#include "store/logs/log_chunk.h"

#include <gtest/gtest.h>

namespace det::store {
namespace {

std::vector<LogLine> sample() {
  return {{.time = WallTime(std::chrono::microseconds(1'700'000'000'123'456)),
           .level = LineLevel::kInfo,
           .stdtype = StdType::kStderr,
           .rank = 0,
           .allocation_id = "1.a.1",
           .container_id = "pod",
           .agent_id = "node",
           .source = "task",
           .text = "hello\n"},
          {.time = WallTime(std::chrono::microseconds(-5)), .rank = -3, .text = std::string("\0\xff", 2)},
          {.time = WallTime(std::chrono::microseconds(1)), .level = LineLevel::kCritical, .rank = 1 << 30, .text = ""}};
}

TEST(LogChunk, ComesBackAsItWas) {
  const auto lines = sample();
  EXPECT_EQ(decode_chunk(encode_chunk(lines)), lines);
  EXPECT_EQ(decode_chunk(encode_chunk({})), std::vector<LogLine>());
}

TEST(LogChunk, IsSmallWhenLinesAreAlike) {
  std::vector<LogLine> lines(1000, sample()[0]);
  std::size_t raw = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].text = "epoch " + std::to_string(i) + " loss 0.25 accuracy 0.75 " + std::string(60, '.') + "\n";
    raw += lines[i].text.size();
  }
  EXPECT_LT(encode_chunk(lines).size(), raw / 10);
}

TEST(LogChunk, RefusesDamagedBytes) {
  const std::string body = encode_chunk(sample());
  EXPECT_EQ(decode_chunk("").error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(decode_chunk("nonsense").error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(decode_chunk(std::string_view(body).substr(0, body.size() - 1)).error().code, ErrorCode::kDataLoss);
}

TEST(LogChunk, IsOneOfMoreWhereLinesHoldMuch) {
  std::vector<LogLine> lines(40, sample()[0]);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].time += std::chrono::seconds(i % 2 == 0 ? i : 0);
    lines[i].text = std::string(100 << 10, static_cast<char>('a' + i % 26)) + "\n";
  }
  lines[0].level = LineLevel::kError;
  const std::vector<EncodedChunk> chunks = encode_chunks(lines);
  ASSERT_EQ(chunks.size(), 4U);
  std::vector<LogLine> back;
  for (const EncodedChunk& chunk : chunks) {
    EXPECT_EQ(chunk.first, lines[1].time);
    EXPECT_LT(chunk.held, static_cast<std::int64_t>(kChunkHolds + (101 << 10)));
    const auto some = decode_chunk(chunk.body);
    ASSERT_TRUE(some);
    back.insert(back.end(), some->begin(), some->end());
  }
  EXPECT_EQ(back, lines);
  EXPECT_EQ(chunks[0].lines, 11);
  EXPECT_EQ(chunks[3].lines, 7);
  EXPECT_EQ(chunks[0].last, lines[10].time);
  EXPECT_EQ(chunks[0].levels, 1 << 3 | 1 << 5);
  EXPECT_EQ(chunks[1].levels, 1 << 3);
  EXPECT_EQ(encode_chunks(sample()).size(), 1U);
  EXPECT_EQ(encode_chunks(sample())[0].body, encode_chunk(sample()));
}

TEST(LogChunk, KnowsItsLevels) {
  EXPECT_EQ(level_mask(sample()), 1 << 3 | 1 << 0 | 1 << 6);
  EXPECT_EQ(level_mask({}), 0);
}

}  // namespace
}  // namespace det::store
