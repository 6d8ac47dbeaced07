#include "base/recent_log.h"

#include <algorithm>
#include <chrono>
#include <deque>

#include "base/cut_text.h"
#include "base/mutex.h"

namespace det {
namespace {

constexpr std::size_t kLongestLine = 4'000;

// As the log itself, this is one for the whole process.
struct Book {
  Mutex mutex;
  std::deque<RecentLine> lines DET_GUARDED_BY(mutex);
  std::int64_t latest DET_GUARDED_BY(mutex) = 0;
};

Book& book() {
  static Book the_book;
  return the_book;
}

}  // namespace

void keep_recent_line(LogLevel level, std::string_view text) {
  Book& all = book();
  const MutexLock lock(all.mutex);
  const WallTime now = std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
  all.lines.push_back(
      {.number = ++all.latest, .at = now, .level = level, .text = cut_text(std::string(text), kLongestLine)});
  if (all.lines.size() > kRecentLines) all.lines.pop_front();
}

std::vector<RecentLine> recent_lines(std::int64_t after, std::size_t most) {
  Book& all = book();
  const MutexLock lock(all.mutex);
  std::vector<RecentLine> found;
  for (const RecentLine& line : all.lines) {
    if (line.number > after && found.size() < most) found.push_back(line);
  }
  return found;
}

std::int64_t latest_line() {
  Book& all = book();
  const MutexLock lock(all.mutex);
  return all.latest;
}

}  // namespace det
