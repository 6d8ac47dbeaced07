#include "operator/removal/place_remover.h"

#include <utility>

#include "operator/removal/remove_object.h"

namespace det::op {

Task<Result<bool>> PlaceRemover::look() {
  constexpr auto kMost = static_cast<std::size_t>(store::RemovalStore::kMostGoing);
  bool waits = false;
  for (std::optional<std::int64_t> after = 0; after;) {
    auto projects = co_await services_.stores.removals.going_projects(*after);
    DET_CO_TRY(projects);
    after = projects->size() == kMost ? std::optional(projects->back().id.value) : std::nullopt;
    waits |= co_await advance_all("project", std::move(*projects));
  }
  for (std::optional<std::int64_t> after = 0; after;) {
    auto workspaces = co_await services_.stores.removals.going_workspaces(*after);
    DET_CO_TRY(workspaces);
    after = workspaces->size() == kMost ? std::optional(workspaces->back().id.value) : std::nullopt;
    waits |= co_await advance_all("workspace", std::move(*workspaces));
  }
  co_return waits;
}

template <typename Place>
Task<bool> PlaceRemover::advance_all(std::string kind, std::vector<Place> places) {
  bool waits = false;
  for (Place& place : places) {
    const auto id = place.id.value;
    const auto advanced = co_await advance(std::move(place));
    if (!advanced) {
      log_.warn("the deletion of a " + kind + " does not get on; it is tried again",
                {{kind, id}, {"error", advanced.error().message}});
    }
    waits |= advanced.value_or(true);
  }
  co_return waits;
}

Task<Result<bool>> PlaceRemover::advance(store::GoingProject project) {
  if (!project.next.empty()) co_return co_await begin_experiments(std::move(project));
  if (!project.failed.empty()) {
    const auto& first = project.failed.front();
    co_return co_await give_up(project.id, "experiment " + to_string(first.id) + ": " + first.message);
  }
  if (project.left > 0) co_return false;  // the collector says when they are gone
  DET_CO_TRY(co_await services_.stores.removals.finish_project(services_.epoch, project.id));
  log_.info("project deleted", {{"project", project.id.value}});
  co_return false;
}

Task<Result<bool>> PlaceRemover::begin_experiments(store::GoingProject project) {
  store::RemovalStore& removals = services_.stores.removals;
  std::optional<model::ExperimentId> begun;
  bool waits = false;
  for (const auto& experiment : project.next) {
    if (model::is_terminal(experiment.state)) {
      const Status started = co_await removals.begin_delete(experiment.id);
      if (!started && started.error().code == ErrorCode::kFailedPrecondition) {
        co_return co_await give_up(project.id, started.error().message);
      }
      if (!started && started.error().code != ErrorCode::kNotFound) co_return std::unexpected(started.error());
      begun = experiment.id;
      continue;
    }
    using model::ExperimentState;
    if (experiment.state == ExperimentState::kActive || experiment.state == ExperimentState::kPaused) {
      co_return co_await give_up(
          project.id, "experiment " + to_string(experiment.id) + " was put in it and is not in a terminal state");
    }
    waits = true;
    break;
  }
  if (begun) DET_CO_TRY(co_await removals.note_begun(services_.epoch, project.id, *begun));
  // Experiments without files go at the next look, and there may be more than one look takes.
  co_return waits || begun;
}

Task<Result<bool>> PlaceRemover::advance(store::GoingWorkspace workspace) {
  if (!workspace.failure.empty()) {
    co_return co_await give_up(workspace.id, workspace.failure);
  }
  if (!workspace.tasks.empty()) {
    const auto id = workspace.id;
    const Status ended = co_await end_tasks(std::move(workspace));
    // Of a namespace that is not enabled any more.
    if (!ended && ended.error().code == ErrorCode::kFailedPrecondition) {
      co_return co_await give_up(id, "a task of it cannot be deleted: " + ended.error().message);
    }
    DET_CO_TRY(ended);
    co_return true;
  }
  if (workspace.projects > 0) co_return false;
  const Status gone = co_await services_.stores.removals.finish_workspace(services_.epoch, workspace.id);
  if (!gone && gone.error().code == ErrorCode::kFailedPrecondition) {
    co_return co_await give_up(workspace.id, "something in it is still there: " + gone.error().message);
  }
  DET_CO_TRY(gone);
  log_.info("workspace deleted", {{"workspace", workspace.id.value}});
  co_return false;
}

// A task whose object goes is ended by the sweep for such; then its row goes. The object first: a reconciler that saw
// it without its row would take it for a new task.
Task<Status> PlaceRemover::end_tasks(store::GoingWorkspace workspace) {
  std::vector<std::string> over;
  for (const auto& task : workspace.tasks) {
    if (!task.is_over && task.removes_files) continue;
    DET_CO_TRY(co_await remove_object(services_, k8s::tasks(), {.ns = task.ns, .name = task.name}, task.uid));
    if (task.is_over) over.push_back(task.id);
  }
  if (over.empty()) co_return Status{};
  co_return co_await services_.stores.removals.remove_tasks(services_.epoch, std::move(over));
}

Task<Result<bool>> PlaceRemover::give_up(model::ProjectId id, std::string why) {
  log_.warn("a project could not be deleted", {{"project", id.value}, {"why", why}});
  DET_CO_TRY(co_await services_.stores.removals.give_up_project(services_.epoch, id, std::move(why)));
  co_return false;
}

Task<Result<bool>> PlaceRemover::give_up(model::WorkspaceId id, std::string why) {
  log_.warn("a workspace could not be deleted", {{"workspace", id.value}, {"why", why}});
  DET_CO_TRY(co_await services_.stores.removals.give_up_workspace(services_.epoch, id, std::move(why)));
  co_return false;
}

}  // namespace det::op
