// Notebooks, shells, commands and TensorBoards: one set of handlers, whose routes say the type.

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/list_slice.h"
#include "api/tasks/routes.h"
#include "api/tasks/task_edit.h"
#include "api/tasks/task_launch.h"
#include "api/tasks/task_views.h"
#include "base/log.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using model::TaskType;

// How answers call one of the type, and several.
struct Words {
  const char* one;
  const char* many;
};

Words words_of(TaskType type) {
  switch (type) {
    case TaskType::kNotebook:
      return {"notebook", "notebooks"};
    case TaskType::kShell:
      return {"shell", "shells"};
    case TaskType::kTensorBoard:
      return {"tensorboard", "tensorboards"};
    case TaskType::kCommand:
    case TaskType::kGeneric:
    case TaskType::kCheckpointGc:
      break;
  }
  return {"command", "commands"};
}

// One answer's worth of them, each with what is known of its idling.
Task<Result<wire::Json>> jsons_of(ApiServices& services, const Call& call, std::span<const store::TaskRun> runs) {
  std::vector<std::string> ids;
  for (const store::TaskRun& run : runs) {
    if (idles(run.task)) ids.push_back(run.task.id);
  }
  std::map<std::string, WallTime> asked_at;
  if (!ids.empty()) {
    auto found = co_await services.stores.services.last_requests(std::move(ids));
    DET_CO_TRY(found);
    asked_at = std::move(*found);
  }
  wire::Json items = wire::Json::array();
  for (const store::TaskRun& run : runs) {
    wire::StandaloneTask task = to_wire(run, call.caller, services.settings.master);
    const auto asked = asked_at.find(run.task.id);
    if (asked != asked_at.end()) add_idling(task, run.task, asked->second);
    items.push_back(wire::to_json(task));
  }
  co_return items;
}

Task<Result<wire::Json>> json_of(ApiServices& services, const Call& call, const store::TaskRun& run) {
  auto items = co_await jsons_of(services, call, std::span(&run, 1));
  DET_CO_TRY(items);
  co_return std::move(items->front());
}

Task<Result<http::Response>> launch(ApiServices& services, Call call, TaskType type) {
  auto request = co_await read_body(services, call.request,
                                    [type](std::string_view body) { return read_launch_request(type, body); });
  DET_CO_TRY(request);
  auto launched = co_await launch_task(services, std::move(*request), call.caller);
  DET_CO_TRY(launched);
  store::TaskRun run;
  if (launched->row) {
    call.note.object = std::string(words_of(type).many) + "/" + launched->row->id;
    run.task = std::move(*launched->row);
    launched->config = shown_config(run.task);
  } else {
    // Clients want a well-formed one even of what was not started.
    run.task.type = model::task_word(type);
  }
  auto shown = co_await json_of(services, call, run);
  DET_CO_TRY(shown);
  co_return ok({{words_of(type).one, std::move(*shown)},
                {"config", launched->config},
                {"warnings", wire::Json::array()},
                {"configWarnings", launched->warnings}});
}

enum class ListOrder : std::uint8_t { kId, kDescription, kStartTime, kState, kUser, kWorkspace, kPool };

constexpr std::pair<std::string_view, ListOrder> kSorts[] = {{"SORT_BY_UNSPECIFIED", ListOrder::kId},
                                                             {"SORT_BY_ID", ListOrder::kId},
                                                             {"SORT_BY_DESCRIPTION", ListOrder::kDescription},
                                                             {"SORT_BY_START_TIME", ListOrder::kStartTime},
                                                             {"SORT_BY_STATE", ListOrder::kState},
                                                             {"SORT_BY_USER", ListOrder::kUser},
                                                             {"SORT_BY_WORKSPACE_ID", ListOrder::kWorkspace},
                                                             {"SORT_BY_RESOURCE_POOL", ListOrder::kPool}};

// So that texts stand in the order of the numbers, which are not less than 0.
std::string padded(std::int64_t number) {
  constexpr std::size_t kWidth = 20;
  const std::string digits = std::to_string(number);
  return std::string(kWidth - digits.size(), '0') + digits;
}

std::string sort_key(const store::TaskRun& run, ListOrder order, const model::MasterConfig& master) {
  switch (order) {
    case ListOrder::kId:
      return run.task.id;
    case ListOrder::kDescription:
      return run.task.description;
    case ListOrder::kStartTime:
      return format_rfc3339_micros(run.task.start_time);
    case ListOrder::kState:
      return std::string(to_string(shown_state(run)));
    case ListOrder::kUser:
      return run.task.username;
    case ListOrder::kWorkspace:
      return padded(run.task.workspace.value);
    case ListOrder::kPool:
      return shown_pool(run.task, master);
  }
  return {};
}

void put_in_order(std::vector<store::TaskRun>& runs, ListOrder order, const model::MasterConfig& master) {
  std::unordered_map<std::int64_t, std::string> keys;
  for (const store::TaskRun& run : runs) keys.emplace(run.task.number, sort_key(run, order, master));
  const auto place = [&keys](const store::TaskRun& run) { return std::tie(keys.at(run.task.number), run.task.number); };
  std::ranges::sort(runs, [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

// An ended task is listed for a day, as upstream has it; its log and its configuration stay.
constexpr std::chrono::hours kShownAfterEnd{24};

// A workspace that a list is asked for must be there for the caller.
Task<Status> check_workspace(ApiServices& services, Identity caller, model::WorkspaceId workspace) {
  if (!may(caller, model::Permission::kViewWorkspace, workspace)) {
    co_return fail(ErrorCode::kNotFound, "workspace '" + to_string(workspace) + "' not found");
  }
  DET_CO_TRY(co_await services.stores.workspaces.find(workspace, caller.user.id));
  co_return Status();
}

Task<Result<http::Response>> list(ApiServices& services, Call call, TaskType type) {
  QueryArguments query(call.request.query);
  store::TaskFilter filter;
  filter.type = model::task_word(type);
  filter.users = query.texts("users");
  for (const std::int64_t id : query.integers("userIds")) filter.user_ids.push_back(model::UserId{id});
  if (const auto workspace = query.integer("workspaceId"); workspace && *workspace != 0) {
    filter.workspace = model::WorkspaceId{*workspace};
  }
  filter.visible = visible(call.caller, model::Permission::kViewNsc);
  filter.since = services.clock.wall_now() - kShownAfterEnd;
  const auto sorts = query.words("sortBy", kSorts);
  const store::Order order = query.order().value_or(store::Order::kAscending);
  const store::Page page = query.page();
  DET_CO_TRY(query.status());
  if (filter.workspace) DET_CO_TRY(co_await check_workspace(services, call.caller, *filter.workspace));
  auto runs = co_await services.stores.tasks.list(std::move(filter));
  DET_CO_TRY(runs);
  if (!sorts.empty()) put_in_order(*runs, sorts.front(), services.settings.master);
  if (order == store::Order::kDescending) std::ranges::reverse(*runs);
  auto slice = slice_of(page, runs->size());
  DET_CO_TRY(slice);
  auto items = co_await jsons_of(services, call, std::span(*runs).subspan(slice->first, slice->last - slice->first));
  DET_CO_TRY(items);
  co_return ok({{words_of(type).many, std::move(*items)}, {"pagination", std::move(slice->pagination)}});
}

Task<Result<store::TaskRun>> run_of_path(ApiServices& services, const Call& call, TaskType type) {
  const std::string id = path_text(call.request, "id");
  auto run = co_await services.stores.tasks.run_of(id);
  DET_CO_TRY(run);
  if (!*run || (**run).task.type != model::task_word(type)) {
    co_return fail(ErrorCode::kNotFound, std::string(words_of(type).one) + " '" + id + "' not found");
  }
  co_return std::move(**run);
}

Task<Result<http::Response>> get(ApiServices& services, Call call, TaskType type) {
  const auto run = co_await run_of_path(services, call, type);
  DET_CO_TRY(run);
  auto shown = co_await json_of(services, call, *run);
  DET_CO_TRY(shown);
  co_return ok({{words_of(type).one, std::move(*shown)}, {"config", shown_config(run->task)}});
}

Task<Result<http::Response>> kill(ApiServices& services, Call call, TaskType type) {
  const auto run = co_await run_of_path(services, call, type);
  DET_CO_TRY(run);
  DET_CO_TRY(co_await stop_task(services, run->task));
  const auto after = co_await run_of_path(services, call, type);
  DET_CO_TRY(after);
  auto shown = co_await json_of(services, call, *after);
  DET_CO_TRY(shown);
  co_return ok({{words_of(type).one, std::move(*shown)}});
}

Task<Result<http::Response>> set_priority(ApiServices& services, Call call, TaskType type) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("priority");
  const std::int64_t priority = fields.integer("priority").value_or(0);
  DET_CO_TRY(fields.status());
  const auto run = co_await run_of_path(services, call, type);
  DET_CO_TRY(run);
  DET_CO_TRY(co_await set_task_priority(services, run->task, priority));
  const auto after = co_await run_of_path(services, call, type);
  DET_CO_TRY(after);
  auto shown = co_await json_of(services, call, *after);
  DET_CO_TRY(shown);
  co_return ok({{words_of(type).one, std::move(*shown)}});
}

}  // namespace

Task<Result<http::Response>> launch_notebook(ApiServices& services, Call call) {
  return launch(services, std::move(call), TaskType::kNotebook);
}
Task<Result<http::Response>> launch_shell(ApiServices& services, Call call) {
  return launch(services, std::move(call), TaskType::kShell);
}
Task<Result<http::Response>> launch_command(ApiServices& services, Call call) {
  return launch(services, std::move(call), TaskType::kCommand);
}
Task<Result<http::Response>> launch_tensorboard(ApiServices& services, Call call) {
  return launch(services, std::move(call), TaskType::kTensorBoard);
}

Task<Result<http::Response>> list_notebooks(ApiServices& services, Call call) {
  return list(services, std::move(call), TaskType::kNotebook);
}
Task<Result<http::Response>> list_shells(ApiServices& services, Call call) {
  return list(services, std::move(call), TaskType::kShell);
}
Task<Result<http::Response>> list_commands(ApiServices& services, Call call) {
  return list(services, std::move(call), TaskType::kCommand);
}
Task<Result<http::Response>> list_tensorboards(ApiServices& services, Call call) {
  return list(services, std::move(call), TaskType::kTensorBoard);
}

Task<Result<http::Response>> get_notebook(ApiServices& services, Call call) {
  return get(services, std::move(call), TaskType::kNotebook);
}
Task<Result<http::Response>> get_shell(ApiServices& services, Call call) {
  return get(services, std::move(call), TaskType::kShell);
}
Task<Result<http::Response>> get_command(ApiServices& services, Call call) {
  return get(services, std::move(call), TaskType::kCommand);
}
Task<Result<http::Response>> get_tensorboard(ApiServices& services, Call call) {
  return get(services, std::move(call), TaskType::kTensorBoard);
}

Task<Result<http::Response>> kill_notebook(ApiServices& services, Call call) {
  return kill(services, std::move(call), TaskType::kNotebook);
}
Task<Result<http::Response>> kill_shell(ApiServices& services, Call call) {
  return kill(services, std::move(call), TaskType::kShell);
}
Task<Result<http::Response>> kill_command(ApiServices& services, Call call) {
  return kill(services, std::move(call), TaskType::kCommand);
}
Task<Result<http::Response>> kill_tensorboard(ApiServices& services, Call call) {
  return kill(services, std::move(call), TaskType::kTensorBoard);
}

Task<Result<http::Response>> set_notebook_priority(ApiServices& services, Call call) {
  return set_priority(services, std::move(call), TaskType::kNotebook);
}
Task<Result<http::Response>> set_shell_priority(ApiServices& services, Call call) {
  return set_priority(services, std::move(call), TaskType::kShell);
}
Task<Result<http::Response>> set_command_priority(ApiServices& services, Call call) {
  return set_priority(services, std::move(call), TaskType::kCommand);
}
Task<Result<http::Response>> set_tensorboard_priority(ApiServices& services, Call call) {
  return set_priority(services, std::move(call), TaskType::kTensorBoard);
}

// Of a notebook's own idle watch. What is idle says nothing new.
Task<Result<http::Response>> report_idle(ApiServices& services, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const bool is_idle = fields.boolean("idle").value_or(false);
  DET_CO_TRY(fields.status());
  const std::string id = path_text(call.request, "id");
  if (!is_idle) DET_CO_TRY(co_await services.stores.tasks.note_active(id, services.clock.wall_now()));
  co_return ok();
}

}  // namespace det::api::routes
