#pragma once

// Merges the small chunks that many small posts leave behind: a harness posts every second, and ten lines in a chunk of
// their own take twice the space of ten lines among a thousand. Chunks are merged when nobody looks for their posts any
// more: those that this process wrote are confirmed, and what another replica wrote in between is left for a while.
// wrote() may be called by any thread; pass() by one at a time, with a connection of its own.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "pg/raw_connection.h"

namespace det::store {

struct WrittenChunk {
  std::int64_t first_id = 0;
  std::int64_t lines = 0;
  std::int64_t bytes = 0;  // compressed
  std::int64_t held = 0;   // as EncodedChunk's: what merging them takes
  // Set for what another replica wrote between two chunks of this one: some chunks, of so many lines and about so many
  // bytes, that can be merged from then on.
  std::optional<std::chrono::steady_clock::time_point> from = {};

  bool operator==(const WrittenChunk&) const = default;
};

class LogCompactor {
 public:
  using Now = std::chrono::steady_clock::time_point;

  explicit LogCompactor(std::string url) : url_(std::move(url)) {}
  ~LogCompactor();
  LogCompactor(const LogCompactor&) = delete;
  LogCompactor& operator=(const LogCompactor&) = delete;

  // A pass every `pause`, on a thread of its own, until destroyed.
  void start(std::chrono::milliseconds pause);
  // Told in the order of ids. Where some are missing, another replica wrote them.
  void wrote(std::int32_t task, WrittenChunk chunk, Now now);
  // Merges what is worth it. After an error of the connection the next pass tries again.
  void pass(Now now);

 private:
  struct Run {
    std::vector<WrittenChunk> chunks;
    Now last_write;
  };
  void run(std::chrono::milliseconds pause);
  std::optional<std::pair<std::int32_t, std::vector<WrittenChunk>>> next_group(std::int32_t from, Now now);
  void finished(std::int32_t task, std::size_t count, std::optional<WrittenChunk> merged);
  Status connect();
  Result<std::optional<WrittenChunk>> merge(std::int32_t task, const std::vector<WrittenChunk>& group);
  Result<std::optional<WrittenChunk>> rewrite(std::int32_t task, const std::vector<WrittenChunk>& group);

  std::string url_;
  Logger log_{"store.log_compactor"};
  std::optional<pg::RawConnection> connection_;

  Mutex mutex_;
  Condition wake_;
  std::map<std::int32_t, Run> runs_ DET_GUARDED_BY(mutex_);  // by task
  bool stopping_ DET_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

// How many chunks at the front of a run are to become one; 0 or 1: none. `is_quiet`: the task has ended, or logs no
// more for now. Pure. What is merged grows in proportion, so that a line is rewritten a few times at most.
[[nodiscard]] std::size_t chunks_to_merge(const std::vector<WrittenChunk>& run, bool is_quiet, LogCompactor::Now now);

}  // namespace det::store
