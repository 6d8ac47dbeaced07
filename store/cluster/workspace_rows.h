#pragma once

// What the tables workspaces and projects hold, as plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/cluster/agent_account.h"
#include "model/cluster/workspace_defaults.h"
#include "model/ids.h"
#include "store/page.h"

namespace det::store {

// Of a workspace or a project.
enum class PlaceState : std::uint8_t {
  kUnspecified,
  kDeleting,      // what is in it goes, then it goes itself
  kDeleteFailed,  // its error says why it is still there
};
[[nodiscard]] std::string_view to_string(PlaceState state);
[[nodiscard]] std::optional<PlaceState> parse_place_state(std::string_view word);

struct WorkspaceRow {
  model::WorkspaceId id;
  std::string name;
  model::UserId owner;
  std::string owner_name;
  bool immutable = false;
  bool archived = false;
  PlaceState state = PlaceState::kUnspecified;
  std::string error;
  model::AgentAccountOverride agent;  // as whom its tasks run, part by part before the user's own
  model::WorkspaceDefaults defaults;
  std::int64_t projects = 0;
  std::int64_t experiments = 0;
  std::optional<WallTime> pinned_at;  // by who looks at it; nothing: it is not pinned
};

// Empty fields do not filter.
struct WorkspaceFilter {
  model::UserId viewer;    // whose pins count
  std::string name;        // in any case
  std::string exact_name;  // in this case
  std::optional<bool> archived;
  std::optional<bool> pinned;
  std::vector<std::string> users;                               // usernames
  std::vector<model::UserId> user_ids;                          // either matches
  std::optional<std::vector<model::WorkspaceId>> visible = {};  // only these; nothing: all
  bool by_name = false;                                         // else by id
  bool with_counts = true;                                      // of projects and experiments; else 0
  Order order = Order::kAscending;
  Page page;
};

struct NewWorkspace {
  std::string name;
  model::UserId owner;  // for whom it is pinned
  model::AgentAccountOverride agent;
  model::WorkspaceDefaults defaults;
  std::optional<model::RoleId> owner_role = {};  // that the owner gets in it
};

// Absent: unchanged.
struct WorkspaceChange {
  std::optional<std::string> name;
  std::optional<model::AgentAccountOverride> agent;
  std::optional<std::string> compute_pool;
  std::optional<std::string> aux_pool;
  std::optional<nlohmann::json> checkpoint_storage;  // null: none any more
};

struct ProjectRow {
  model::ProjectId id;
  model::WorkspaceId workspace;
  std::string workspace_name;
  model::UserId workspace_owner;
  std::string name;
  std::string description;
  std::string key;
  model::UserId owner;
  std::string owner_name;
  bool immutable = false;
  bool archived = false;  // it or its workspace
  PlaceState state = PlaceState::kUnspecified;
  std::string error;
  nlohmann::json notes = nlohmann::json::array();  // of {"name", "contents"}
  std::int64_t experiments = 0;
  std::int64_t active_experiments = 0;
  std::int64_t trials = 0;
  std::optional<WallTime> last_experiment_started_at;
};

enum class ProjectSort : std::uint8_t { kId, kName, kDescription, kCreationTime, kLastExperimentStartTime };

// Empty fields do not filter.
struct ProjectFilter {
  std::optional<model::WorkspaceId> workspace;
  std::string name;  // in any case; who has it in this case stands first
  std::optional<bool> archived;
  std::vector<std::string> users;                               // usernames
  std::vector<model::UserId> user_ids;                          // either matches
  std::optional<std::vector<model::WorkspaceId>> visible = {};  // in these workspaces; nothing: in all
  ProjectSort sort = ProjectSort::kId;
  Order order = Order::kAscending;
  Page page;
};

struct NewProject {
  model::WorkspaceId workspace;
  std::string name;
  std::string description;
  std::string key;  // empty: one is made of the name
  model::UserId owner;
};

// Absent: unchanged.
struct ProjectChange {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> key;
};

// What the gate asks of the project that an experiment is to be in.
struct ProjectPlace {
  model::ProjectId project;
  model::WorkspaceId workspace;
  bool is_project_archived = false;
  bool is_workspace_archived = false;
  bool is_going = false;  // it or its workspace is being deleted
  model::WorkspaceDefaults defaults;
};

}  // namespace det::store
