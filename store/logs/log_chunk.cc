#include "store/logs/log_chunk.h"

#include <algorithm>
#include <array>
#include <map>

#include <zstd.h>

namespace det::store {
namespace {

constexpr char kVersion = 1;
constexpr int kCompressionLevel = 1;  // higher ones gain little on log text and cost much
constexpr std::size_t kMaxRaw = std::size_t{1} << 30;

// allocation, container, agent, source: nearly always the same in all lines of a post.
using Origin = std::array<std::string_view, 4>;

Origin origin_of(const LogLine& line) {
  return {line.allocation_id, line.container_id, line.agent_id, line.source};
}

void put(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// Reads what put() wrote; after the first impossible read everything fails.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view text(std::uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  // A count of things that take at least one byte each.
  std::uint64_t count() {
    const std::uint64_t value = number();
    if (value > rest_.size()) ok_ = false;
    return ok_ ? value : 0;
  }
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::string compress(const std::string& raw) {
  std::string out(ZSTD_compressBound(raw.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), kCompressionLevel));
  return out;
}

Result<std::string> decompress(std::string_view body) {
  const unsigned long long size = ZSTD_getFrameContentSize(body.data(), body.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMaxRaw) {
    return fail(ErrorCode::kDataLoss, "a chunk of log lines is damaged");
  }
  std::string raw(size, '\0');
  if (ZSTD_decompress(raw.data(), raw.size(), body.data(), body.size()) != size) {
    return fail(ErrorCode::kDataLoss, "a chunk of log lines is damaged");
  }
  return raw;
}

// What is the same for all texts of a chunk comes first: it compresses best side by side.
struct LineHead {
  LineView line;
  std::uint64_t length = 0;
};

LineHead read_head(Reader& in, const std::vector<Origin>& origins, std::int64_t& micros) {
  LineHead head;
  micros += unzigzag(in.number());
  head.line.time = WallTime(std::chrono::microseconds(micros));
  head.line.level = static_cast<LineLevel>(std::min<std::uint64_t>(in.number(), 6));
  head.line.stdtype = static_cast<StdType>(std::min<std::uint64_t>(in.number(), 2));
  if (const std::uint64_t rank = in.number(); rank > 0) head.line.rank = static_cast<int>(unzigzag(rank - 1));
  if (const std::uint64_t origin = in.number(); origin < origins.size()) {
    const auto& [allocation, container, agent, source] = origins[origin];
    head.line.allocation_id = allocation;
    head.line.container_id = container;
    head.line.agent_id = agent;
    head.line.source = source;
  }
  head.length = in.number();
  return head;
}

}  // namespace

std::string encode_chunk(std::span<const LogLine> lines) {
  std::map<Origin, std::uint64_t> numbers;
  Origin last;
  std::uint64_t number = 0;  // of `last`
  std::string dictionary;
  std::string heads;
  std::string texts;
  std::int64_t micros = 0;
  for (const LogLine& line : lines) {
    const Origin origin = origin_of(line);
    if (numbers.empty() || origin != last) {
      const auto [place, is_new] = numbers.emplace(origin, numbers.size());
      for (const std::string_view text : origin) {
        if (!is_new) break;
        put(dictionary, text.size());
        dictionary += text;
      }
      number = place->second;
      last = origin;
    }
    const std::int64_t at = line.time.time_since_epoch().count();
    put(heads, zigzag(at - micros));
    micros = at;
    put(heads, static_cast<std::uint64_t>(line.level));
    put(heads, static_cast<std::uint64_t>(line.stdtype));
    put(heads, line.rank ? zigzag(*line.rank) + 1 : 0);
    put(heads, number);
    put(heads, line.text.size());
    texts += line.text;
  }
  std::string raw(1, kVersion);
  put(raw, lines.size());
  put(raw, numbers.size());
  return compress(raw + dictionary + heads + texts);
}

std::size_t held_bytes(const LogLine& line) {
  return sizeof(LogLine) + line.text.size() + line.allocation_id.size() + line.container_id.size() +
         line.agent_id.size() + line.source.size();
}

LogLine to_line(const LineView& view) {
  return {.time = view.time,
          .level = view.level,
          .stdtype = view.stdtype,
          .rank = view.rank,
          .allocation_id = std::string(view.allocation_id),
          .container_id = std::string(view.container_id),
          .agent_id = std::string(view.agent_id),
          .source = std::string(view.source),
          .text = std::string(view.text)};
}

Result<std::vector<LogLine>> decode_chunk(std::string_view body) {
  std::vector<LogLine> lines;
  DET_TRY(visit_chunk(body, [&lines](std::size_t, const LineView& line) { lines.push_back(to_line(line)); }));
  return lines;
}

Status visit_chunk(std::string_view body, const std::function<void(std::size_t place, const LineView& line)>& visit) {
  const auto raw = decompress(body);
  DET_TRY(raw);
  if (raw->empty() || raw->front() != kVersion)
    return fail(ErrorCode::kDataLoss, "a chunk of log lines is of a newer format");
  Reader in(std::string_view(*raw).substr(1));
  const std::uint64_t count = in.count();
  std::vector<Origin> origins(in.count());
  for (Origin& origin : origins) {
    for (std::string_view& text : origin) text = in.text(in.number());
  }
  std::vector<LineHead> heads;
  heads.reserve(count);
  std::int64_t micros = 0;
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) heads.push_back(read_head(in, origins, micros));
  for (std::size_t i = 0; i < heads.size() && in.ok(); ++i) {
    heads[i].line.text = in.text(heads[i].length);
    if (in.ok()) visit(i, heads[i].line);
  }
  if (!in.ok()) return fail(ErrorCode::kDataLoss, "a chunk of log lines is damaged");
  return {};
}

std::int32_t level_mask(std::span<const LogLine> lines) {
  std::int32_t mask = 0;
  for (const LogLine& line : lines) mask |= 1 << static_cast<int>(line.level);
  return mask;
}

std::vector<EncodedChunk> encode_chunks(std::span<const LogLine> lines) {
  std::vector<EncodedChunk> chunks;
  while (!lines.empty()) {
    EncodedChunk chunk{.first = lines.front().time, .last = lines.front().time, .body = {}};
    std::size_t count = 0;
    for (std::size_t held = 0; count < lines.size() && held < kChunkHolds; ++count) {
      const LogLine& line = lines[count];
      chunk.first = std::min(chunk.first, line.time);
      chunk.last = std::max(chunk.last, line.time);
      held += held_bytes(line);
      chunk.held = static_cast<std::int64_t>(held);
    }
    const auto part = lines.first(count);
    chunk.lines = static_cast<std::int32_t>(count);
    chunk.levels = level_mask(part);
    chunk.body = encode_chunk(part);
    chunks.push_back(std::move(chunk));
    lines = lines.subspan(count);
  }
  return chunks;
}

}  // namespace det::store
