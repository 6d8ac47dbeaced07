#pragma once

// What the table standalone_tasks holds, as plain values: notebooks, shells, commands and TensorBoards.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "model/states.h"
#include "store/experiments/experiment_rows.h"
#include "store/page.h"
#include "store/trials/allocation_store.h"

namespace det::store {

// What lets its owner's programs in. Shown to the owner and to administrators only.
struct TaskAccess {
  std::string token;        // of a notebook's page
  std::string private_key;  // of a shell, PEM
  std::string public_key;   // as in authorized_keys

  bool operator==(const TaskAccess&) const = default;
};

// Where a generic task stands among others.
struct TaskKin {
  std::string parent;            // the task that started it; empty: none
  std::string forked_from;       // the task whose configuration it took over; empty: none
  std::optional<bool> no_pause;  // nothing: a root pauses, a child does not

  bool operator==(const TaskKin&) const = default;
};

struct NewTask {
  std::string id;     // uuid
  std::string type;   // Determined's word: "NOTEBOOK"
  std::string nonce;  // uuid; made by the caller, so that a repeated insert finds the same row
  std::string uid;    // of the Task object; empty: none yet
  std::string ns;     // of the object
  std::string name;   // of the object
  model::UserId owner;
  model::WorkspaceId workspace{1};
  model::TaskState state = model::TaskState::kActive;
  std::string description;
  nlohmann::json config;     // merged and complete; frozen
  nlohmann::json submitted;  // as its object has it; null: none
  std::string config_hash;
  ContextRef context;
  std::vector<std::int64_t> experiments;  // what a TensorBoard shows
  std::vector<std::int64_t> trials;
  TaskAccess access;
  TaskKin kin;
};

struct TaskRow {
  std::string id;
  std::int64_t number = 0;  // its logs' key, and its place in the queue
  std::string type;
  std::string nonce;
  std::string uid;  // empty: no object yet
  std::string ns;
  std::string name;
  model::UserId owner;
  std::string username;
  std::string display_name;
  model::WorkspaceId workspace;
  std::string workspace_name;
  std::string job_id;  // uuid
  model::TaskState state = model::TaskState::kActive;
  std::string description;
  nlohmann::json config;
  nlohmann::json submitted;
  std::optional<WallTime> active_at;  // when a notebook last said that its programs are in use
  std::string config_hash;
  std::optional<int> priority;           // set since acceptance
  std::optional<int> followed_priority;  // of the object, as it was followed last since then
  ContextRef context;
  std::vector<std::int64_t> experiments;
  std::vector<std::int64_t> trials;
  TaskAccess access;
  TaskKin kin;
  int run = 0;  // 0 before the first allocation
  int infra_restarts = 0;
  std::string exit_reason;  // of its last run that ended
  std::optional<int> exit_code;
  WallTime start_time;
  std::optional<WallTime> end_time;
};

// A task with its latest run.
struct TaskRun {
  TaskRow task;
  std::optional<AllocationRow> allocation;  // of run `task.run`; none before the first one
  std::vector<ResourceRow> resources;
};

// Empty fields do not filter.
struct TaskFilter {
  std::string type;
  std::vector<std::string> users;  // usernames
  std::vector<model::UserId> user_ids;
  std::optional<model::WorkspaceId> workspace;
  std::optional<std::vector<model::WorkspaceId>> visible = {};  // in these; nothing: in all
  std::optional<WallTime> since = {};                           // not those that ended before
};

// How a task ends.
struct TaskEnd {
  model::TaskState state = model::TaskState::kCanceled;  // a terminal one
  std::string reason;
  std::optional<TrialExit> run;  // of the run that may be open; nothing: it never ran
};

}  // namespace det::store
