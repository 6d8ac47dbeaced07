#pragma once

// The searcher's event log: what happened in the order the leader took it, and what was decided. A step (events
// consumed, decisions, trials to create) is one transaction, checked against the epoch. SearcherInputs that replicas
// write (validation reports) waits in an inbox until a step consumes it. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"
#include "store/cluster/epoch.h"
#include "store/search/custom_search_store.h"
#include "store/trials/trial_rows.h"

namespace det::store {

// SearcherInputs that no step has consumed yet.
struct PendingInput {
  std::int64_t inbox_id = 0;  // not an order of commits: look at all of them every time
  WallTime time;
  nlohmann::json event;
};

struct SearcherEvent {
  std::int64_t seq = 0;  // 1, 2, 3, ... per experiment
  WallTime time;
  Epoch epoch;
  nlohmann::json event;
  nlohmann::json decisions;
};

// What is read of a log, or of the inbox, ends with the row that reaches so many bytes of JSON: a custom search's
// runner chooses how long its answers are.
inline constexpr std::int64_t kSearchPageBytes = std::int64_t{1} << 20;
struct SearcherEventPage {
  std::vector<SearcherEvent> events;  // by seq
  bool is_all = true;                 // the log goes no further
};
struct PendingInputPage {
  std::vector<PendingInput> input;  // by time, then inbox id
  bool is_all = true;
};

struct SearcherStep {
  model::ExperimentId experiment;
  std::int64_t first_seq = 0;  // the log's last seq + 1
  struct Entry {
    nlohmann::json event;
    nlohmann::json decisions;
    std::optional<std::int64_t> inbox_id;  // the input it consumes
  };
  std::vector<Entry> entries;
  std::vector<NewTrial> creates;
  std::vector<std::string> closes;  // request ids of trials whose end the entries hold
  std::vector<RunnerEvent> tells;   // for the runner of a custom search
};

class SearcherEventStore {
 public:
  explicit SearcherEventStore(pg::Pool& pool) : pool_(pool) {}

  // The log after event `after`, at most `limit` rows of it; what there is, one row at least.
  Task<Result<SearcherEventPage>> events(model::ExperimentId experiment, std::int64_t after, int limit,
                                         std::int64_t bytes = kSearchPageBytes);
  // The rest comes when this has been consumed.
  Task<Result<PendingInputPage>> pending(model::ExperimentId experiment, std::int64_t bytes = kSearchPageBytes);
  // Returns the created trials in order. kFailedPrecondition for an old epoch, kAborted when the log has moved on (load
  // it again) or input was consumed by another step.
  Task<Result<std::vector<TrialRow>>> append(Epoch epoch, SearcherStep step);
  // Tells the searcher something outside a metric report (e.g. a trial's end). Idempotent by `key`, unique per
  // experiment.
  Task<Status> add_input(model::ExperimentId experiment, std::string key, nlohmann::json event);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
