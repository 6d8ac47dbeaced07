#pragma once

// Writes batches of metric reports over one connection: finds or makes their series, then one INSERT for all. The part
// of MetricWriter that lives on the writer's thread.

#include <cstdint>
#include <deque>
#include <memory>
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
  struct Series {
    std::int32_t id = 0;
    std::shared_ptr<bool> has_others;  // of the same run and group, one for all of them
  };
  struct Row {
    const MetricReport* report = nullptr;
    Series series;
    std::size_t place = 0;  // in `reports` of commit
  };
  Status connect();
  Status give_up_connection(Error error);
  Result<Series> series_of(const MetricReport& report);
  Status check_run(const MetricReport& report);
  Result<std::int32_t> read_run(const MetricReport& report);
  Result<Series> make_series(const MetricReport& report);
  Result<std::vector<Row>> find_rows(const std::vector<const MetricReport*>& reports, std::vector<Status>& results);
  Status leave_out_known(std::vector<Row>& rows, std::vector<Status>& results);
  Result<bool> narrow(Row& row, const std::vector<MetricValues>& earlier);
  Result<std::vector<std::vector<MetricValues>>> read_earlier_of(const char* statement, const std::vector<Row>& rows);
  Status write(const std::vector<Row>& rows, std::vector<Status>& results);
  Result<std::size_t> insert(const std::vector<Row>& rows);
  Result<std::size_t> insert_rows(const std::vector<Row>& rows);
  Result<std::size_t> insert_one(const Row& row);
  Status insert_rows_by_time(const std::vector<Row>& rows);

  std::string url_;
  std::optional<pg::RawConnection> connection_;
  BoundedMap<std::string, Series> series_{200'000};                 // see key_of
  BoundedMap<std::string, std::shared_ptr<bool>> groups_{200'000};  // see group_key
  BoundedMap<std::int64_t, std::int32_t> current_runs_{200'000};    // by trial, as last read
  std::deque<MetricReport> narrowed_;                               // that rows of this commit are about
};

}  // namespace det::store
