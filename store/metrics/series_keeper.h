#pragma once

// Reads of a trial's reports that keep what long series add up to first (series_summary.h). Of what is long one part at
// a time is read, and trials take turns: reports that come late on purpose make their own trial slow. MetricStore and
// MetricSeriesStore share one. Belongs to the io thread; Pool outlives it.

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/task.h"
#include "base/turns.h"
#include "pg/pool.h"
#include "store/metrics/series_summary.h"

namespace det::store {

class SeriesKeeper {
 public:
  explicit SeriesKeeper(pg::Pool& pool) : pool_(pool) {}

  struct Wanted {
    std::string name;  // of what is done, for people
    model::TrialId trial;
    std::string group;  // empty: all
    // One call adds so many parts to what is kept; beyond that it reads them where they are.
    std::size_t most_parts = 500;
  };
  // `read`, a callable Result<T>(pg::Transaction&), when nothing is left to keep of these series.
  template <typename T, typename Read>
  Task<Result<T>> read_kept(Wanted wanted, Read read);

 private:
  Task<Status> keep(std::vector<SummaryPart> parts);

  pg::Pool& pool_;
  Turns long_reads_{1};  // by trial
};

template <typename T, typename Read>
Task<Result<T>> SeriesKeeper::read_kept(Wanted wanted, Read read) {
  struct Found {
    std::vector<SummaryPart> to_keep;
    std::optional<T> value;  // when nothing is left to keep
  };
  const auto look = [&wanted, &read](std::size_t parts) {
    return [&wanted, &read, parts](pg::Transaction& tx) -> Result<Found> {
      Found found;
      if (parts > 0) found.to_keep = parts_to_keep(tx, wanted.trial, wanted.group);
      if (found.to_keep.size() > parts) found.to_keep.resize(parts);
      if (!found.to_keep.empty()) return found;
      auto value = read(tx);
      DET_TRY(value);
      found.value = std::move(*value);
      return found;
    };
  };
  std::size_t left = wanted.most_parts;
  auto found = co_await pool_.read(wanted.name, look(left));
  DET_CO_TRY(found);
  std::set<std::int32_t> begun;
  while (!found->value) {
    const auto turn = co_await long_reads_.wait(to_string(wanted.trial));
    // Again: while this waited, somebody else may have kept what it wants.
    found = co_await pool_.read(wanted.name, look(left));
    DET_CO_TRY(found);
    if (found->to_keep.empty()) continue;
    // Begun twice: reports come late for it as fast as it is added up.
    bool keeps = true;
    for (const SummaryPart& part : found->to_keep) keeps &= part.after >= 0 || begun.insert(part.series).second;
    left -= found->to_keep.size();
    if (!keeps || !co_await keep(std::move(found->to_keep))) left = 0;
  }
  co_return std::move(*found->value);
}

}  // namespace det::store
