#include "store/metrics/metric_writer.h"

#include "store/group_commit.h"
#include "store/metrics/metric_batch.h"

namespace det::store {

struct MetricWriter::State {
  State(asio::any_io_executor executor, const MetricWriterOptions& options)
      : batch(options.url),
        group(
            std::move(executor),
            {.name = "metric reports", .max_waiting = options.max_waiting, .max_batch = options.max_batch},
            [this](const auto& reports, auto& results) { return batch.commit(reports, results); }, [] {}) {}
  MetricBatch batch;  // belongs to the group's thread
  GroupCommit<MetricReport> group;
};

MetricWriter::MetricWriter(asio::any_io_executor executor, MetricWriterOptions options)
    : state_(std::make_unique<State>(std::move(executor), options)) {}

MetricWriter::~MetricWriter() = default;

Task<Status> MetricWriter::write(MetricReport report, std::chrono::nanoseconds timeout) {
  return state_->group.submit(std::move(report), 1, timeout);
}

MetricWriterStats MetricWriter::stats() const {
  const auto stats = state_->group.stats();
  return {.reports = stats.items, .commits = stats.commits, .retries = stats.retries, .waiting = stats.waiting};
}

}  // namespace det::store
