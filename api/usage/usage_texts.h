#pragma once

// Usage of slots as CSV and as JSON. Pure.

#include <map>
#include <string>
#include <vector>

#include "model/cluster/master_config.h"
#include "store/usage/usage_store.h"
#include "wire/forms.h"

namespace det::api {

// A line of RFC 4180, with "\n" at its end as Go writes it; fields that need it are quoted.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& fields);

// Columns of GET /resources/allocation/raw and its lines; v1ResourceAllocationRawEntry.
[[nodiscard]] std::vector<std::string> raw_columns();
[[nodiscard]] std::string raw_line(const store::UsageRow& row);
[[nodiscard]] wire::Json raw_entry(const store::UsageRow& row);

// The same of GET /resources/allocation/allocations-csv.
[[nodiscard]] std::vector<std::string> allocation_columns();
[[nodiscard]] std::string allocation_line(const store::UsageRow& row, const model::MasterConfig& master);

// Slot seconds of one day or month.
struct UsageEntry {
  std::string period_start;
  double seconds = 0;
  std::map<std::string, double> by_username;
  std::map<std::string, double> by_label;
  std::map<std::string, double> by_pool;
};
// `sums` by period, as UsageStore gives them. A day is called 2026-11-25, a month 2026-11.
[[nodiscard]] std::vector<UsageEntry> entries_of(const std::vector<store::UsageSum>& sums, store::UsagePeriod period,
                                                 const model::MasterConfig& master);
[[nodiscard]] wire::Json to_json(const UsageEntry& entry, store::UsagePeriod period);
[[nodiscard]] std::string aggregated_csv(const std::vector<UsageEntry>& entries);

}  // namespace det::api
