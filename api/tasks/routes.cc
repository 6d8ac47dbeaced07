#include "api/tasks/routes.h"

#include <array>

namespace det::api {

namespace {

using namespace routes;

using enum Who;
using enum Whose;
using enum Exempt;
using enum model::Permission;
using enum Manner;
using enum Limit;

constexpr auto kRoutes = std::to_array<RouteEntry>({
    {"GET", "/api/v1/tasks", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_tasks},
    {"GET", "/tasks", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, legacy_tasks},
    {"GET", "/api/v1/tasks/count", kPeople, kNobody, kFree, kPlain, kNone, kNoEvent, count_tasks},
    {"GET", "/api/v1/tasks/{id}", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, get_task},
    {"GET", "/api/v1/tasks/{id}/context_directory", kAnyToken, kTask, kViewNsc, kHarness, kNone, kNoEvent,
     context_directory},
    {"POST", "/api/v1/generic-tasks", kPeople, kNobody, kHandlerAsks, kPlain, kUpload, "task.launch",
     create_generic_task},
    {"GET", "/api/v1/tasks/{id}/config", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, generic_task_config},
    {"POST", "/api/v1/tasks/{id}/kill", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "task.kill", kill_generic_task},
    {"POST", "/api/v1/tasks/{id}/pause", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "task.pause", pause_generic_task},
    {"POST", "/api/v1/tasks/{id}/unpause", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "task.unpause",
     unpause_generic_task},
    {"POST", "/api/v1/notebooks", kPeople, kNobody, kHandlerAsks, kPlain, kUpload, "notebook.launch", launch_notebook},
    {"GET", "/api/v1/notebooks", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_notebooks},
    {"GET", "/api/v1/notebooks/{id}", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, get_notebook},
    {"POST", "/api/v1/notebooks/{id}/kill", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "notebook.kill", kill_notebook},
    {"POST", "/api/v1/notebooks/{id}/set_priority", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "notebook.set_priority",
     set_notebook_priority},
    {"POST", "/api/v1/shells", kPeople, kNobody, kHandlerAsks, kPlain, kUpload, "shell.launch", launch_shell},
    {"GET", "/api/v1/shells", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_shells},
    {"GET", "/api/v1/shells/{id}", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, get_shell},
    {"POST", "/api/v1/shells/{id}/kill", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "shell.kill", kill_shell},
    {"POST", "/api/v1/shells/{id}/set_priority", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "shell.set_priority",
     set_shell_priority},
    {"POST", "/api/v1/commands", kPeople, kNobody, kHandlerAsks, kPlain, kUpload, "command.launch", launch_command},
    {"GET", "/api/v1/commands", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_commands},
    {"GET", "/api/v1/commands/{id}", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, get_command},
    {"POST", "/api/v1/commands/{id}/kill", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "command.kill", kill_command},
    {"POST", "/api/v1/commands/{id}/set_priority", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "command.set_priority",
     set_command_priority},
    {"POST", "/api/v1/tensorboards", kPeople, kNobody, kHandlerAsks, kPlain, kUpload, "tensorboard.launch",
     launch_tensorboard},
    {"GET", "/api/v1/tensorboards", kPeople, kNobody, kHandlerAsks, kPlain, kNone, kNoEvent, list_tensorboards},
    {"GET", "/api/v1/tensorboards/{id}", kPeople, kTask, kViewNsc, kPlain, kNone, kNoEvent, get_tensorboard},
    {"POST", "/api/v1/tensorboards/{id}/kill", kOwner, kTask, kUpdateNsc, kPlain, kSmall, "tensorboard.kill",
     kill_tensorboard},
    {"POST", "/api/v1/tensorboards/{id}/set_priority", kOwner, kTask, kUpdateNsc, kPlain, kSmall,
     "tensorboard.set_priority", set_tensorboard_priority},
    {"PUT", "/api/v1/notebooks/{id}/report_idle", kItsTask, kTask, kUpdateNsc, kHarness, kSmall, kNoEvent, report_idle},
});

}  // namespace

std::span<const RouteEntry> task_routes() {
  return kRoutes;
}

}  // namespace det::api
