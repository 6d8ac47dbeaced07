#pragma once

// The one writer of task logs of a process: all posts that wait in one commit. Owns a thread and a connection, another
// thread that packs large posts, like MetricWriter (and apart from it, so that logs never delay metrics), with the same
// rules of use.

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "base/task.h"
#include "store/logs/log_chunk.h"

namespace det::store {

struct LogWriterOptions {
  std::string url;
  std::size_t max_waiting_bytes = std::size_t{64} << 20;  // compressed; more is kResourceExhausted
  std::size_t max_batch = 256;                            // posts of one commit
  std::chrono::milliseconds compact_every{3'000};         // between two passes over small chunks
};

// Where lines of task logs go.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // As LogWriter::write.
  virtual Task<Status> write(std::string task_id, std::vector<LogLine> lines, std::chrono::nanoseconds timeout) = 0;
};

class LogWriter final : public LogSink {
 public:
  LogWriter(asio::any_io_executor executor, LogWriterOptions options);
  ~LogWriter() override;
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Returns after the commit that holds the lines. Lines of one task keep the order of their posts. kNotFound for an
  // unknown task, otherwise as MetricWriter::write.
  Task<Status> write(std::string task_id, std::vector<LogLine> lines, std::chrono::nanoseconds timeout) override;

  // Raised after every commit of this process. Other processes hear kLogChannel.
  [[nodiscard]] Signal& committed();

 private:
  Task<std::vector<EncodedChunk>> pack(const std::vector<LogLine>& lines);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace det::store
