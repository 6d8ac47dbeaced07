#pragma once

// Writes batches of metric reports over one connection: finds or makes their series, then one INSERT for all. The part
// of MetricWriter that lives on the writer's thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bounded_map.h"
#include "base/result.h"
#include "pg/raw_connection.h"
#include "store/metrics/metric_report.h"

namespace det::store {

class MetricBatch {
 public:
  explicit MetricBatch(std::string url) : url_(std::move(url)) {}

  // As GroupCommit::Commit.
  Status commit(const std::vector<const MetricReport*>& reports, std::vector<Status>& results);

 private:
  struct Row {
    const MetricReport* report = nullptr;
    std::int32_t series = 0;
  };
  Status connect();
  Status give_up_connection(Error error);
  Result<std::int32_t> series_of(const MetricReport& report);
  Status check_run(const MetricReport& report);
  Result<std::int32_t> read_run(const MetricReport& report);
  Result<std::int32_t> make_series(const MetricReport& report);
  Status insert(const std::vector<Row>& rows);
  Status insert_rows(const std::vector<Row>& rows);
  Status insert_rows_by_time(const std::vector<Row>& rows);

  std::string url_;
  std::optional<pg::RawConnection> connection_;
  BoundedMap<std::string, std::int32_t> series_{200'000};         // see key_of
  BoundedMap<std::int64_t, std::int32_t> current_runs_{200'000};  // by trial, as last read
};

}  // namespace det::store
