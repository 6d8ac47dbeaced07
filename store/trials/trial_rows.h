#pragma once

// What the trials table holds, as plain values.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "model/states.h"
#include "store/checkpoints/checkpoint_store.h"
#include "store/page.h"
#include "store/trials/run_limits.h"
#include "store/trials/run_plan.h"

namespace det::store {

struct NewTrial {
  model::ExperimentId experiment;
  std::string request_id;  // uuid, from the searcher
  nlohmann::json hparams;
  std::int64_t seed = 0;
  model::TrialState state = model::TrialState::kActive;
  std::string external_id = {};  // of unmanaged ones, by which a program finds it again; empty: none
};

// What a trial is to train, for the harnesses before 0.38 that ask for it. Lengths are totals in the unit of
// searcher.max_length. The leader writes the first three from the search's log, the REST server the other two.
struct TrialWork {
  std::optional<std::int64_t> length;  // nothing: the search hands out no lengths
  bool is_last = false;                // no more will come
  std::int64_t settled = 0;            // the longest length whose result the search has taken in
  std::int64_t completed = 0;          // the longest length whose result was reported
  bool is_asked_for = false;           // the trial's harness asks for it, so it is older than 0.38

  // The search has the result and may, or may not, give more later: until then the trial has nothing to do.
  [[nodiscard]] bool is_awaited() const { return length && settled >= *length && !is_last; }
  // All of it is done.
  [[nodiscard]] bool is_over() const { return length && is_last && std::max(settled, completed) >= *length; }

  bool operator==(const TrialWork&) const = default;
};

// The leader's part of it.
struct WorkOrder {
  model::TrialId trial;
  std::int64_t length = 0;
  bool is_last = false;
  std::int64_t settled = 0;
};

struct ExcludedNode {
  std::string node;
  std::string why;

  bool operator==(const ExcludedNode&) const = default;
};

// What log policies decided about a trial (table columns of migration 007).
struct LogVerdict {
  std::vector<ExcludedNode> excluded_nodes;  // its next runs avoid them
  std::string no_retry;                      // why a failure of its program is not tried again; empty: it is
  std::string matched;                       // name of the policy that matched last
};

// What one matching line adds to it.
struct LogVerdictChange {
  std::string policy;
  std::string excluded_node;  // empty: none
  bool cancels_retries = false;
  std::string why;
};

struct TrialRow {
  model::TrialId id;
  model::ExperimentId experiment;
  std::string request_id;
  std::string uid;  // of the Kubernetes object; empty: none yet
  model::TrialState state = model::TrialState::kActive;
  nlohmann::json hparams;
  std::int64_t seed = 0;
  int run = 0;  // 0 before the first allocation
  int restarts = 0;
  int infra_restarts = 0;
  std::string task_id;  // "<experiment>.<request id>"
  std::int64_t task_number = 0;
  WallTime start_time;
  std::optional<WallTime> end_time;
  std::string runner_state;
  std::optional<double> progress;  // 0..1
  std::string exit_reason;
  // Set by the searcher or the harness, e.g. "EXITED_REASON_INVALID_HP"; empty: none.
  std::string early_exit;
  TrialWork work;
  std::string warm_start_checkpoint;  // uuid of another trial's checkpoint that it began from; empty: none
  LogVerdict logs;
  std::optional<int> log_retention_days;  // its own; -1: for ever; nothing: the experiment's
  std::string external_id = {};
};

// How many trials an experiment has; the others than those that ended are alive.
struct TrialCounts {
  std::int64_t total = 0;
  std::int64_t completed = 0;
  std::int64_t errored = 0;
  std::int64_t canceled = 0;

  void add(model::TrialState state, std::int64_t count = 1) {
    total += count;
    if (state == model::TrialState::kCompleted) completed += count;
    if (state == model::TrialState::kError) errored += count;
    if (state == model::TrialState::kCanceled) canceled += count;
  }
  bool operator==(const TrialCounts&) const = default;
};

struct ValidationRow {
  std::int64_t steps = 0;
  WallTime time;
  nlohmann::json metrics;  // name -> value
};

struct TrialView {
  TrialRow row;
  std::optional<model::AllocationState> allocation_state;  // of the current run
  std::int64_t total_batches = 0;                          // largest reported steps
  std::optional<double> best_metric;
  std::optional<ValidationRow> best_validation;
  std::optional<ValidationRow> latest_validation;
  std::optional<CheckpointRow> best_checkpoint;  // the one at the best validation's steps
  std::optional<CheckpointRow> latest_checkpoint;
  std::int64_t checkpoint_count = 0;
  std::int64_t checkpoint_bytes = 0;
  double wall_clock_seconds = 0;               // sum over its allocations
  std::optional<int> log_retention_days = {};  // its own, its experiment's or the configuration's; -1: for ever
};

enum class TrialSort : std::uint8_t {
  kId,
  kStartTime,
  kEndTime,
  kState,
  kBestMetric,
  kLatestMetric,
  kBatches,
  kDuration,
  kRestarts,
  kCheckpointSize,
  kLogRetention,
};

struct TrialQuery {
  model::ExperimentId experiment;
  std::vector<model::TrialState> states;
  TrialSort sort = TrialSort::kId;
  Order order = Order::kAscending;
  Page page;
};

// Which counter a failed run moves: user errors use up max_restarts, infrastructure never does.
enum class ExitKind : std::uint8_t { kNone, kRestart, kInfraRestart };

struct TrialExit {
  int run = 0;
  ExitKind kind = ExitKind::kNone;
  std::optional<int> exit_code;
  std::string reason;
};

struct NewRun {
  int run = 0;  // the trial's current run + 1
  int slots = 0;
  std::string token_hash;       // hex SHA-256 of the allocation's session token
  std::string user_token_hash;  // hex SHA-256 of the owner's session token inside the pod
  RunPlan plan;                 // a checkpoint that it starts warm from is kept for all later runs
  RunLimits limits;             // of its experiment
};

// How a trial ends.
struct TrialEnd {
  model::TrialState state = model::TrialState::kCanceled;  // a terminal one
  std::string reason;
  std::optional<TrialExit> run;  // of the run that may be open; nothing: it never ran
};

// Failures of the infrastructure of one trial, by the end of the runs that they ended.
struct InfraFailures {
  int count = 0;
  WallTime first{};
  WallTime last{};
  std::string last_reason;
};

}  // namespace det::store
