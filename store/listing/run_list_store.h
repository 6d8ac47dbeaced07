#pragma once

// Lists of runs and of experiments, filtered and sorted by anything that is known of them. First which they are, then,
// page by page, what is shown of them. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/states.h"
#include "pg/pool.h"
#include "store/listing/list_filter.h"
#include "store/listing/run_sum_store.h"

namespace det::store {

struct ListSearch {
  ListPlace of = ListPlace::kRun;  // or kExperiment
  std::optional<model::ProjectId> project;
  std::optional<std::vector<model::WorkspaceId>> visible = {};  // in these workspaces; nothing: in all
  std::optional<ListFilter> filter;
  std::vector<ListOrder> orders;
  std::vector<std::int64_t> ids;  // only these, if any
  std::int64_t offset = 0;        // negative: counted from the end
  std::int64_t limit = 0;         // 0: 100; -1: all; -2: only how many there are
  std::string default_pool;       // what experiments run in that name none
  std::string user;               // who asks
};

struct ListedIds {
  std::vector<std::int64_t> ids;
  std::int64_t total = 0;
  std::int64_t start = 0;  // of the page among all
};

// Of the experiment that a run is of.
struct RunExperiment {
  model::ExperimentId id;
  std::string searcher;
  std::string searcher_metric;
  std::optional<model::ExperimentId> forked_from;
  std::string resource_pool;
  std::optional<double> progress;
  std::string description;
  std::string name;
  bool archived = false;
  bool is_unmanaged = false;
  std::string external_id;
  bool has_other_runs = false;  // of a search, or that a program reported under the same experiment
};

struct RunRow {
  model::TrialId id;
  WallTime start_time;
  std::optional<WallTime> end_time;
  model::TrialState state = model::TrialState::kActive;
  std::vector<std::string> labels;
  std::int64_t checkpoint_bytes = 0;
  std::int64_t checkpoint_count = 0;
  std::optional<double> searcher_metric_value;
  nlohmann::json hparams;
  MetricSummaries summaries;
  model::UserId owner;
  std::int64_t seconds = 0;  // from start to end, or until now
  model::ProjectId project;
  std::string project_name;
  std::string project_key;
  model::WorkspaceId workspace;
  std::string workspace_name;
  bool is_parent_archived = false;  // the project or the workspace is
  bool archived = false;            // itself, or its experiment
  nlohmann::json metadata;          // null: none
  std::string log_policy_matched;   // empty: none
  RunExperiment experiment;
  std::string external_id;  // of a trial that runs elsewhere; empty: none
};

class RunListStore {
 public:
  RunListStore(pg::Pool& pool, RunSumStore& sums) : pool_(pool), sums_(sums) {}

  // What RunSumStore::refresh says where the list is by metrics; kDeadlineExceeded after ten seconds, as for a filter
  // that looks into much of very many runs. Two at once, and users take turns: filters can be written to take long.
  Task<Result<ListedIds>> search(ListSearch search);
  // In the order of `ids`; without those that are gone.
  Task<Result<std::vector<RunRow>>> runs(std::vector<std::int64_t> ids);
  Task<Status> set_archived(std::vector<std::int64_t> runs, bool archived);

 private:
  pg::Pool& pool_;
  RunSumStore& sums_;
  Turns searches_{2};  // by user
};

}  // namespace det::store
