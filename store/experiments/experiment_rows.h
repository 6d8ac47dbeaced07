#pragma once

// What the experiments table holds, as plain values.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "model/states.h"
#include "store/page.h"

namespace det::store {

// Where the model code comes from. `kind`: none, configMap, git, pvc, archive or stored; sha256 only for what is kept
// in ContextStore.
struct ContextRef {
  std::string kind = "none";
  std::string sha256;

  bool operator==(const ContextRef&) const = default;
};

struct NewExperiment {
  std::string nonce;  // uuid; made by the caller, so that a repeated insert finds the same row
  std::string uid;    // of the Kubernetes object; empty: none yet
  std::string ns;     // of the object
  std::string name;   // of the object
  model::UserId owner;
  model::ProjectId project{1};
  std::optional<model::ExperimentId> parent;
  model::ExperimentState state = model::ExperimentState::kPaused;
  nlohmann::json config;  // merged and complete; frozen
  std::string original_config;
  std::string config_hash;
  std::string title;  // the config's name
  std::string description;
  std::vector<std::string> labels;
  ContextRef context;
  bool is_unmanaged = false;     // its trials run where people start them: no object, no pods
  std::string external_id = {};  // by which a program finds it again; empty: none
};

struct ExperimentRow {
  model::ExperimentId id;
  std::string nonce;
  std::string uid;  // empty: no object yet
  std::string ns;
  std::string name;  // of the object
  model::UserId owner;
  model::ProjectId project;
  std::optional<model::ExperimentId> parent;
  model::ExperimentState state = model::ExperimentState::kPaused;
  std::string message;  // why it is in this state, for people
  nlohmann::json config;
  std::string original_config;
  std::string config_hash;
  std::string title;
  std::string description;
  std::vector<std::string> labels;
  std::string notes;
  std::string job_id;  // uuid
  ContextRef context;
  bool archived = false;
  std::optional<double> progress;  // 0..1
  WallTime start_time;
  std::optional<WallTime> end_time;
  nlohmann::json live;  // settings changed since acceptance: priority, weight, max_slots, max_concurrent_trials
  std::optional<int> log_retention_days = {};  // set since acceptance; -1: for ever; nothing: the configuration's
  bool is_unmanaged = false;
  std::string external_id = {};
};

struct BestTrial {
  model::TrialId trial;
  double metric = 0;  // the searcher's
};

// A row with whose it is, which its pods carry: costs the same however many trials there are.
struct NamedExperiment {
  ExperimentRow row;
  std::string username;
  model::WorkspaceId workspace;
  std::string workspace_name;
};

// A row with what lists and descriptions show beside it: costs more the more trials there are.
struct ExperimentView {
  ExperimentRow row;
  std::string username;
  std::string display_name;
  std::string project_name;
  model::UserId project_owner;
  model::WorkspaceId workspace;
  std::string workspace_name;
  bool is_parent_archived = false;                         // the project or the workspace is
  std::optional<model::AllocationState> allocation_state;  // furthest of the running allocations
  std::vector<model::TrialId> trial_ids;                   // ascending
  std::optional<model::TrialId> best_trial;
  std::optional<double> best_metric;  // the searcher's metric of best_trial
  std::string external_trial_id;      // of best_trial; empty: none
  std::int64_t checkpoint_count = 0;
  std::int64_t checkpoint_bytes = 0;
  std::int64_t context_bytes = 0;  // 0 unless the context is stored
};

// A view as the database gave it. Reading it, and writing what it says for a client, takes far longer than seeing that
// it is the same as the last time.
struct UnreadExperimentView {
  std::string digest;  // of all that read() returns
  std::optional<model::TrialId> best_trial;
  std::function<ExperimentView()> read;
};

enum class ExperimentSort : std::uint8_t {
  kId,
  kDescription,
  kName,
  kStartTime,
  kEndTime,
  kState,
  kNumTrials,
  kProgress,
  kUser,
  kForkedFrom,
  kResourcePool,
  kProjectId,
  kCheckpointSize,
  kCheckpointCount,
  kSearcherMetric,
};

// Of ids; empty fields do not filter.
struct IdFilter {
  std::optional<std::int64_t> above;
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> below;
  std::optional<std::int64_t> at_most;
  std::vector<std::int64_t> among;
  std::vector<std::int64_t> not_among;
};

// Empty fields do not filter.
struct ExperimentFilter {
  std::optional<bool> archived;
  std::vector<std::string> users;  // usernames
  std::vector<model::UserId> user_ids;
  std::vector<model::ExperimentState> states;
  std::string name;                 // part of the title, any case
  std::string description;          // part of it, any case
  std::vector<std::string> labels;  // all of them
  std::optional<model::ProjectId> project;
  // In these workspaces. Nothing: in all.
  std::optional<std::vector<model::WorkspaceId>> visible = {};
  IdFilter ids;
  ExperimentSort sort = ExperimentSort::kId;
  Order order = Order::kAscending;
  Page page;
};

// What an experiment goes on with after its end.
struct ContinuedExperiment {
  std::string nonce;  // of the object that will stand for it
  nlohmann::json config;
  std::string original_config;
  std::string config_hash;
};

// What a person may change at any time. Absent: unchanged.
struct ExperimentPatch {
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::optional<std::vector<std::string>> labels;
  std::optional<std::string> notes;
  std::optional<nlohmann::json> live;               // all of them
  std::optional<nlohmann::json> changed_live = {};  // these of them; who changes others at the same time loses none
};

}  // namespace det::store
