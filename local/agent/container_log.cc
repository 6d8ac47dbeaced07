#include "local/agent/container_log.h"

#include <algorithm>

#include <unistd.h>

namespace det::local {
namespace {

constexpr std::size_t kLongestLine = 16 * 1024;
constexpr std::size_t kTimeLength = 27;  // of format_rfc3339_micros
constexpr std::size_t kTextStart = kTimeLength + 3;

void append(std::string& out, const std::string& time, char tag, std::string_view text) {
  out += time;
  out += ' ';
  out += tag;
  out += ' ';
  out += text;
  out += '\n';
}

}  // namespace

std::string LogLines::add(std::string_view bytes, WallTime now) {
  const std::string time = format_rfc3339_micros(now);
  std::string out;
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    const bool whole = newline != std::string_view::npos && rest_.size() + newline <= kLongestLine;
    const auto take = whole ? newline : std::min(bytes.size(), kLongestLine - rest_.size());
    rest_ += bytes.substr(0, take);
    bytes.remove_prefix(take + (whole ? 1 : 0));
    if (!whole && rest_.size() < kLongestLine) break;
    append(out, time, whole ? 'F' : 'P', rest_);
    rest_.clear();
  }
  return out;
}

std::string LogLines::finish(WallTime now) {
  std::string out;
  if (!rest_.empty()) append(out, format_rfc3339_micros(now), 'P', rest_);
  rest_.clear();
  return out;
}

std::string PodLogFilter::feed(std::string_view bytes) {
  std::string out;
  rest_ += bytes;
  std::size_t start = 0;
  for (auto end = rest_.find('\n'); end != std::string::npos && !is_full(); end = rest_.find('\n', start)) {
    line(std::string_view(rest_).substr(start, end - start), out);
    start = end + 1;
  }
  rest_.erase(0, start);
  return out;
}

void PodLogFilter::line(std::string_view text, std::string& out) {
  if (text.size() < kTextStart) return;
  const std::string_view time = text.substr(0, kTimeLength);
  if (query_.since) {
    const auto stamp = parse_rfc3339(time);
    if (!stamp || *stamp < *query_.since) return;
  }
  std::string shown;
  if (query_.timestamps && !inside_line_) shown = std::string(time) + " ";
  shown += text.substr(kTextStart);
  inside_line_ = text[kTimeLength + 1] == 'P';
  if (!inside_line_) shown += '\n';
  if (query_.limit_bytes) shown.resize(std::min(shown.size(), static_cast<std::size_t>(*query_.limit_bytes - sent_)));
  sent_ += static_cast<std::int64_t>(shown.size());
  out += shown;
}

std::uint64_t tail_offset(int fd, std::int64_t lines) {
  constexpr off_t kBlock = 64 * 1024;
  off_t end = ::lseek(fd, 0, SEEK_END);
  auto next_start = static_cast<std::uint64_t>(end);  // where the line behind the one looked at begins
  std::int64_t seen = 0;
  // Pieces of a line (tag P) belong to the line they lead up to; pieces at the very end are a line of their own.
  const auto passes = [&](const std::string& text, std::size_t at) {
    const bool whole = at + kTimeLength + 1 < text.size() && text[at + kTimeLength + 1] == 'F';
    if (whole || seen == 0) ++seen;
    return seen > lines;
  };
  std::string later;  // the beginning of what was read before: the tag of a line that starts just in front of it
  std::string block(static_cast<std::size_t>(kBlock), '\0');
  while (end > 0) {
    const off_t start = std::max<off_t>(0, end - kBlock);
    const auto size = ::pread(fd, block.data(), static_cast<std::size_t>(end - start), start);
    if (size <= 0) return 0;
    const std::string text = block.substr(0, static_cast<std::size_t>(size)) + later;
    for (auto i = static_cast<std::size_t>(size); i-- > 0;) {
      const auto line_start = static_cast<std::uint64_t>(start) + i + 1;
      if (text[i] != '\n' || line_start >= next_start) continue;
      if (passes(text, i + 1)) return next_start;
      next_start = line_start;
    }
    if (start == 0 && next_start > 0 && passes(text, 0)) return next_start;
    later = text.substr(0, kTextStart);
    end = start;
  }
  return 0;
}

std::int64_t count_lines(int fd) {
  std::string block(std::size_t{64} << 10, '\0');
  std::int64_t count = 0;
  std::size_t place = 0;  // in the line
  off_t at = 0;
  for (ssize_t size = ::pread(fd, block.data(), block.size(), at); size > 0;
       size = ::pread(fd, block.data(), block.size(), at)) {
    for (const char c : std::string_view(block.data(), static_cast<std::size_t>(size))) {
      if (place++ == kTimeLength + 1 && c == 'F') ++count;
      if (c == '\n') place = 0;
    }
    at += size;
  }
  return count;
}

}  // namespace det::local
