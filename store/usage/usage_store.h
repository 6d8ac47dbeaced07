#pragma once

// Who held slots, when and how many: one row per run, which outlives the experiment. Written by triggers of the
// database (migrations 041 and 042), so that no way of starting or ending a run is forgotten. Read only here. Belongs
// to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

// From `begin` up to, but without, `end`.
struct UsageRange {
  WallTime begin;
  WallTime end;
};

struct UsageRow {
  std::string allocation_id;
  std::string task_type;  // Determined's word: TRIAL, NOTEBOOK
  model::UserId owner;
  std::string username;
  std::string workspace;                          // its name when the run began
  std::optional<model::ExperimentId> experiment;  // nothing: of a task that people start by itself
  std::vector<std::string> labels;                // of the experiment, when the run began
  std::string resource_pool;                      // empty: the default one
  int slots = 0;
  WallTime started;               // its first pod was put on a node
  std::optional<WallTime> ended;  // nothing: it has not
  double seconds = 0;             // of it in the range
};

enum class UsagePeriod : std::uint8_t { kDay, kMonth };
enum class UsageKind : std::uint8_t { kTotal, kUsername, kLabel, kPool };

// Slot seconds of one period.
struct UsageSum {
  std::string period_start;  // "2026-11-25", UTC
  UsageKind kind = UsageKind::kTotal;
  std::string key;  // empty for the total
  double seconds = 0;
};

// How long the runs that got their nodes on one day had waited for them, on average.
struct QueueTime {
  std::string resource_pool;  // empty: the default one
  std::string day;            // "2026-11-25", UTC
  double seconds = 0;

  bool operator==(const QueueTime&) const = default;
};

class UsageStore {
 public:
  // Pages ask for queue times every few seconds.
  static constexpr int kMostQueued = 10'000;

  explicit UsageStore(pg::Pool& pool) : pool_(pool) {}

  // Runs that overlap with the range, by their start; at most `limit` of those behind `after`, the last one of the page
  // before.
  Task<Result<std::vector<UsageRow>>> page(UsageRange range, std::optional<UsageRow> after, int limit);
  // Of each day or month of the range, whose borders are such, too; those in which slots were held, by period, kind and
  // key. One pass over the runs of the range, whatever there are.
  Task<Result<std::vector<UsageSum>>> sums(UsageRange range, UsagePeriod period);
  // By day and pool, of the latest kMostQueued runs since then that have not been deleted.
  Task<Result<std::vector<QueueTime>>> queue_times(WallTime since);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
