#pragma once

// Carries out the deletion of projects and workspaces: begins that of their experiments, which the collector then
// carries out, ends and removes a workspace's tasks, and drops what is empty. May be killed after any instruction: each
// look finds in the rows what is left to do. Belongs to the io thread.

#include <string>

#include "base/log.h"
#include "operator/services.h"

namespace det::op {

class PlaceRemover {
 public:
  explicit PlaceRemover(OperatorServices& services) : services_(services), log_("places") {}

  // One step with everything that goes. True when it waits for what nobody tells of: look again in a second.
  Task<Result<bool>> look();

 private:
  // Projects or workspaces; true when one waits.
  template <typename Place>
  Task<bool> advance_all(std::string kind, std::vector<Place> places);
  Task<Result<bool>> advance(store::GoingProject project);
  // Up to the first that is still to end; true when there is one.
  Task<Result<bool>> begin_experiments(store::GoingProject project);
  Task<Result<bool>> advance(store::GoingWorkspace workspace);
  Task<Status> end_tasks(store::GoingWorkspace workspace);
  Task<Result<bool>> give_up(model::ProjectId id, std::string why);
  Task<Result<bool>> give_up(model::WorkspaceId id, std::string why);

  OperatorServices& services_;
  Logger log_;
};

}  // namespace det::op
