// Generic tasks: launched from a YAML text, after the pattern of others, and paused and killed with those they started.

#include <functional>
#include <set>

#include "accept/model_code.h"
#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/experiments/context_pack.h"
#include "api/tasks/routes.h"
#include "api/tasks/task_edit.h"
#include "api/tasks/task_launch.h"
#include "api/tasks/task_views.h"
#include "base/json_get.h"
#include "base/yaml.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr int kMostLooks = 10;  // for who was started meanwhile

struct GenericRequest {
  wire::Json config;  // an object, or null
  PackedFiles files;
  std::optional<model::ProjectId> project;
  store::TaskKin kin;
  bool inherits_context = false;
};

Result<wire::Json> read_config(const std::string& text) {
  auto config = parse_yaml(text);
  if (!config) return std::unexpected(with_context(std::move(config).error(), "invalid generic task config"));
  if (config->is_object() || config->is_null()) return config;
  return fail(ErrorCode::kInvalidArgument,
              "invalid generic task config: expected a mapping, got " + std::string(config->type_name()), "config");
}

Result<GenericRequest> read_request(std::string_view body) {
  auto json = wire::parse_body(body);
  DET_TRY(json);
  wire::RequestFields fields(*json);
  GenericRequest request;
  const std::string text = fields.string("config").value_or("");
  if (const auto project = fields.integer("projectId"); project && *project != 0) {
    request.project = model::ProjectId{*project};
  }
  request.kin = {.parent = fields.string("parentId").value_or(""),
                 .forked_from = fields.string("forkedFrom").value_or(""),
                 .no_pause = fields.boolean("noPause")};
  request.inherits_context = fields.boolean("inheritContext").value_or(false);
  DET_TRY(fields.status());
  auto config = read_config(text);
  DET_TRY(config);
  request.config = std::move(*config);
  auto packed = pack_files(fields, "contextDirectory");
  DET_TRY(packed);
  request.files = std::move(*packed);
  return request;
}

Task<Result<store::TaskRow>> find_generic(ApiServices& services, std::string id) {
  auto row = co_await services.stores.tasks.find(id);
  DET_CO_TRY(row);
  if (!*row || (**row).type != model::task_word(model::TaskType::kGeneric)) {
    co_return fail(ErrorCode::kNotFound, "task '" + id + "' not found (make sure task is of type GENERIC)");
  }
  co_return std::move(**row);
}

bool may_edit(const Call& call, const store::TaskRow& row) {
  if (has_roles(call.caller)) return may(call.caller, model::Permission::kUpdateNsc, row.workspace);
  return call.caller.user.admin || call.caller.user.id == row.owner;
}

// As people gave it. The credentials in it are its owner's: others get none, and fork without.
wire::Json config_of(const Call& call, const store::TaskRow& row) {
  wire::Json config = given_config(row);
  const wire::Json& login = get_any(get_any(row.config, "environment"), "registry_auth");
  const bool had_login =
      get_any(config, "environment").is_object() && !login.is_null() && config["environment"].contains("registry_auth");
  if (had_login && call.caller.user.id == row.owner) config["environment"]["registry_auth"] = login;
  return config;
}

// The one that the new task takes over what it does not say itself.
Task<Status> add_pattern(ApiServices& services, const Call& call, GenericRequest& request, LaunchRequest& launch) {
  if (request.kin.forked_from.empty()) {
    if (!request.config.is_null()) co_return Status();
    co_return fail(ErrorCode::kInvalidArgument, "No config file nor forked task provided", "config");
  }
  auto pattern = co_await find_generic(services, request.kin.forked_from);
  if (pattern && !may(call.caller, model::Permission::kViewNsc, pattern->workspace)) {
    co_return fail(ErrorCode::kNotFound,
                   "task '" + request.kin.forked_from + "' not found (make sure task is of type GENERIC)");
  }
  DET_CO_TRY(pattern);
  wire::Json config = config_of(call, *pattern);
  if (request.config.is_object()) config.update(request.config);
  launch.config = std::move(config);
  if (!launch.files.empty()) co_return Status();
  launch.code = accept::inherited_code(pattern->context);
  co_return Status();
}

Task<Status> add_parent(ApiServices& services, const Call& call, const GenericRequest& request, LaunchRequest& launch) {
  if (request.kin.parent.empty()) {
    if (!request.inherits_context) co_return Status();
    co_return fail(ErrorCode::kInvalidArgument, "could not inherit config directory since no parent task id provided",
                   "parentId");
  }
  const auto parent = co_await find_generic(services, request.kin.parent);
  if (parent && !may(call.caller, model::Permission::kViewNsc, parent->workspace)) {
    co_return fail(ErrorCode::kNotFound,
                   "task '" + request.kin.parent + "' not found (make sure task is of type GENERIC)");
  }
  DET_CO_TRY(parent);
  // Who pauses and kills a task does so to all that it started.
  if (!may_edit(call, *parent)) {
    co_return fail(ErrorCode::kPermissionDenied,
                   "task " + parent->id + " is " + parent->username + "'s: only its owner starts tasks below it",
                   "parentId");
  }
  if (model::is_terminal(parent->state)) {
    co_return fail(ErrorCode::kFailedPrecondition, "task " + parent->id + " has ended: nothing starts below it",
                   "parentId");
  }
  if (!request.inherits_context) co_return Status();
  launch.files = {};
  launch.code = accept::inherited_code(parent->context);
  co_return Status();
}

// A task and all that it started, which may go on to start others while they are asked to end or to pause.
struct Family {
  std::string top;
  std::set<std::string> seen;  // ids
};

// Its members which have not ended and were not given before, those above first.
Task<Result<std::vector<store::TaskRow>>> newly_open(ApiServices& services, Family& family) {
  const auto ids = co_await services.stores.task_families.descendants(family.top);
  DET_CO_TRY(ids);
  std::vector<store::TaskRow> open;
  for (const std::string& one : *ids) {
    if (!family.seen.insert(one).second) continue;
    auto row = co_await services.stores.tasks.find(one);
    DET_CO_TRY(row);
    if (*row && !model::is_terminal((**row).state)) open.push_back(std::move(**row));
  }
  co_return open;
}

struct FamilyEdit {
  std::function<Task<Status>(store::TaskRow)> ask;  // one member
  // Whether a member may be asked. If one may not that is there at first, none is. May be empty.
  std::function<Status(const store::TaskRow&)> check = {};
  std::function<Task<void>(std::vector<std::string>)> settle = {};  // until those who were asked start nothing; same
};

// Asks the task `top` and all below it, and then who was started meanwhile. Who cannot be asked keeps nobody else from
// it; why is said at the end, of the first.
Task<Status> edit_family(ApiServices& services, std::string top, FamilyEdit edit) {
  Family family{.top = std::move(top), .seen = {}};
  auto members = co_await newly_open(services, family);
  DET_CO_TRY(members);
  if (edit.check) {
    for (const store::TaskRow& one : *members) DET_CO_TRY(edit.check(one));
  }
  std::vector<Error> errors;
  for (int look = 1; !members->empty(); ++look) {
    if (look > kMostLooks) {
      co_return fail(ErrorCode::kAborted, "tasks are started below task " + family.top + " all the time: ask again");
    }
    std::vector<std::string> asked;
    for (store::TaskRow& one : *members) {
      const std::string id = one.id;
      Status done = edit.check ? edit.check(one) : Status();
      if (done) done = co_await edit.ask(std::move(one));
      if (done) {
        asked.push_back(id);
      } else {
        errors.push_back(with_context(done.error(), "task " + id));
      }
    }
    if (edit.settle) co_await edit.settle(std::move(asked));
    members = co_await newly_open(services, family);
    DET_CO_TRY(members);
  }
  if (errors.empty()) co_return Status();
  Error& first = errors.front();
  if (errors.size() > 1) first.message += "; and so of " + std::to_string(errors.size() - 1) + " more";
  co_return std::unexpected(std::move(first));
}

Error not_in_state(const char* what, const store::TaskRow& row) {
  return {.code = ErrorCode::kFailedPrecondition,
          .message = "cannot " + std::string(what) + " task " + row.id + " as it is in state '" +
                     std::string(to_string(row.state)) + "'",
          .field = "",
          .retry_after = {}};
}

}  // namespace

Task<Result<http::Response>> create_generic_task(ApiServices& services, Call call) {
  auto request = co_await read_body(services, call.request, [](std::string_view body) { return read_request(body); });
  DET_CO_TRY(request);
  LaunchRequest launch{.type = model::TaskType::kGeneric};
  launch.config = request->config;
  launch.files = std::move(request->files);
  launch.kin = request->kin;
  if (request->project) {
    const auto workspace = co_await services.stores.workspaces.of_project(*request->project);
    DET_CO_TRY(workspace);
    launch.workspace = *workspace;
  }
  DET_CO_TRY(co_await add_pattern(services, call, *request, launch));
  DET_CO_TRY(co_await add_parent(services, call, *request, launch));
  auto launched = co_await launch_task(services, std::move(launch), call.caller);
  DET_CO_TRY(launched);
  call.note.object = "tasks/" + launched->row->id;
  co_return ok(
      {{"taskId", launched->row->id}, {"warnings", wire::Json::array()}, {"configWarnings", launched->warnings}});
}

Task<Result<http::Response>> generic_task_config(ApiServices& services, Call call) {
  const auto row = co_await find_generic(services, path_text(call.request, "id"));
  DET_CO_TRY(row);
  co_return ok({{"config", wire::dump(given_config(*row))}});
}

Task<Result<http::Response>> kill_generic_task(ApiServices& services, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const bool from_root = fields.boolean("killFromRoot").value_or(false);
  DET_CO_TRY(fields.status());
  const auto row = co_await find_generic(services, path_text(call.request, "id"));
  DET_CO_TRY(row);
  if (model::is_terminal(row->state)) co_return std::unexpected(not_in_state("cancel", *row));
  std::string from = row->id;
  if (from_root) {
    auto root = co_await services.stores.task_families.root(row->id);
    DET_CO_TRY(root);
    from = std::move(*root);
  }
  const FamilyEdit kill{
      .ask = [&services](store::TaskRow one) { return begin_stop(services, std::move(one)); },
      .check = [&call](const store::TaskRow& one) -> Status {
        if (may_edit(call, one)) return {};
        return fail(ErrorCode::kPermissionDenied,
                    "task " + one.id + " of the same family is " + one.username + "'s: an admin kills them all");
      },
      .settle = [&services](std::vector<std::string> ids) { return wait_until_stopped(services, std::move(ids)); }};
  DET_CO_TRY(co_await edit_family(services, std::move(from), kill));
  co_return ok();
}

Task<Result<http::Response>> pause_generic_task(ApiServices& services, Call call) {
  const auto row = co_await find_generic(services, path_text(call.request, "id"));
  DET_CO_TRY(row);
  if (row->state != model::TaskState::kActive) co_return std::unexpected(not_in_state("pause", *row));
  if (row->kin.no_pause.value_or(false)) {
    co_return fail(ErrorCode::kFailedPrecondition, "cannot pause task " + row->id + " with `no_pause` set to true");
  }
  const FamilyEdit pause{.ask = [&](store::TaskRow one) -> Task<Status> {
    const bool pauses = one.id == row->id || !one.kin.no_pause.value_or(true);
    if (!pauses || !may_edit(call, one)) co_return Status();
    co_return co_await set_task_suspended(services, std::move(one), true);
  }};
  DET_CO_TRY(co_await edit_family(services, row->id, pause));
  co_return ok();
}

Task<Result<http::Response>> unpause_generic_task(ApiServices& services, Call call) {
  const auto row = co_await find_generic(services, path_text(call.request, "id"));
  DET_CO_TRY(row);
  // A moment after the pause it is still being paused.
  const auto object = co_await task_is_suspended(services, *row);
  DET_CO_TRY(object);
  if (row->state != model::TaskState::kPaused && !*object) {
    co_return fail(ErrorCode::kFailedPrecondition, "cannot unpause task " + row->id + " as it is not in paused state");
  }
  const FamilyEdit unpause{.ask = [&](store::TaskRow one) -> Task<Status> {
    if (!may_edit(call, one)) co_return Status();
    co_return co_await set_task_suspended(services, std::move(one), false);
  }};
  DET_CO_TRY(co_await edit_family(services, row->id, unpause));
  co_return ok();
}

}  // namespace det::api::routes
