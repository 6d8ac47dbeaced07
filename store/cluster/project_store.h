#pragma once

// Projects, and which of them experiments are in. Belongs to the io thread; Pool outlives it. Refusals have the words
// of Determined's master. How one is deleted: store/removals/removal_store.h.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "pg/pool.h"
#include "store/cluster/workspace_rows.h"

namespace det::store {

// What became of one experiment of several that were to be moved.
struct MovedExperiment {
  model::ExperimentId id;
  std::string error;  // empty: it was moved
};

class ProjectStore {
 public:
  explicit ProjectStore(pg::Pool& pool) : pool_(pool) {}

  // kInvalidArgument when the page begins after the end.
  Task<Result<Paged<ProjectRow>>> list(ProjectFilter filter);
  // Nothing when there is none.
  Task<Result<std::optional<ProjectRow>>> find(model::ProjectId id);
  Task<Result<std::optional<ProjectRow>>> find_by_key(std::string key);  // in any case
  struct Owners {
    model::UserId project;
    model::UserId workspace;
  };
  Task<Result<std::optional<Owners>>> owners(model::ProjectId id);

  // kAlreadyExists when its name is taken in the workspace, or its key anywhere.
  Task<Result<model::ProjectId>> create(NewProject project);
  Task<Status> change(model::ProjectId id, ProjectChange change);
  Task<Status> set_archived(model::ProjectId id, bool archived);
  Task<Status> move(model::ProjectId id, model::WorkspaceId to);
  // `notes`: of {"name", "contents"}; added to those that there are, or in place of them. Returns all that there are
  // then; kInvalidArgument for more than kLongestNotes of text.
  Task<Result<nlohmann::json>> set_notes(model::ProjectId id, nlohmann::json notes, bool adds);
  static constexpr std::size_t kLongestNotes = std::size_t{1} << 20;

  Task<Status> move_experiment(model::ExperimentId id, model::ProjectId to);
  // Those of project `from`, each for itself; nothing for `owner`: whosever they are.
  Task<Result<std::vector<MovedExperiment>>> move_experiments(model::ProjectId from, std::vector<std::int64_t> ids,
                                                              model::ProjectId to, std::optional<model::UserId> owner);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
