#pragma once

// Reports of one series as numbers, in order of steps: steps, time and the values of neighbouring names. A detail of
// the stores that read and outline curves.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pg/pool.h"

namespace det::store {

// What to read of the reports after `after` up to `to`. Places of names are counted from 1, both inclusive.
struct RowQuery {
  std::int32_t series = 0;
  std::size_t low = 1;
  std::size_t high = 1;
  std::int64_t after = -1;
  std::int64_t to = 0;
};

// Rows to read at once.
[[nodiscard]] std::int64_t page_of(const RowQuery& query);

// absent() (metric_table.h) where the report lacks a number. Valid until it returns.
using TakeRow = std::function<void(std::int32_t steps, double seconds, std::span<const double> values)>;

// How many were read.
std::int64_t read_first_rows(pg::Transaction& tx, const RowQuery& query, std::int64_t most, const TakeRow& take);
// Descending.
std::int64_t read_last_rows(pg::Transaction& tx, const RowQuery& query, std::int64_t most, const TakeRow& take);
// The first report at or behind each of so many places, evenly spread: one look into the index each, however many
// reports there are between them. First and last are among them.
std::int64_t read_spread_rows(pg::Transaction& tx, const RowQuery& query, std::int64_t places, const TakeRow& take);
// Those at these steps; `after` does not count.
std::int64_t read_rows_at(pg::Transaction& tx, const RowQuery& query, const std::vector<std::int64_t>& steps,
                          const TakeRow& take);

}  // namespace det::store
