#pragma once

// The one writer of metric reports of a process. Takes all reports that wait, writes them in one statement, commits and
// wakes their handlers: the commit in progress is the batching window, nothing lingers. Owns a thread and a connection.
// write() belongs to the io thread given to the constructor; the writer is destroyed on that thread, before its
// io_context. While PostgreSQL is away the same batch is tried again until it is back: keys make that idempotent.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/async.h"
#include "base/result.h"
#include "base/task.h"
#include "store/metrics/metric_report.h"

namespace det::store {

struct MetricWriterOptions {
  std::string url;
  std::size_t max_waiting = 10'000;  // reports; one more is kResourceExhausted
  std::size_t max_batch = 1'000;     // reports of one commit
};

struct MetricWriterStats {
  std::uint64_t reports = 0;  // answered
  std::uint64_t commits = 0;
  std::uint64_t retries = 0;  // commits that found no database
  std::size_t waiting = 0;
};

class MetricWriter {
 public:
  MetricWriter(asio::any_io_executor executor, MetricWriterOptions options);
  ~MetricWriter();
  MetricWriter(const MetricWriter&) = delete;
  MetricWriter& operator=(const MetricWriter&) = delete;

  // Returns after the commit that holds the report. The same report again is success and changes nothing; other names
  // at the same steps of the group are merged with the first on reading. Errors: kInvalidArgument "invalid run id, X
  // (reported) != Y (expected)", and "overwriting existing metric keys is not supported, conflicting key: NAME" where a
  // name has another value by now; kNotFound for an unknown trial, kResourceExhausted (queue full), kDeadlineExceeded
  // (not confirmed within `timeout`; it may still be written later).
  Task<Status> write(MetricReport report, std::chrono::nanoseconds timeout);

  [[nodiscard]] MetricWriterStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace det::store
