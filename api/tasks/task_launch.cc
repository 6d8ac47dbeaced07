#include "api/tasks/task_launch.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "accept/gate.h"
#include "accept/new_task.h"
#include "api/access_check.h"
#include "api/experiments/context_pack.h"
#include "api/experiments/pod_settings.h"
#include "api/id_list.h"
#include "api/object_creation.h"
#include "api/tasks/task_object.h"
#include "base/encoding.h"
#include "base/guarded_work.h"
#include "base/log.h"
#include "model/expconf/secret_fields.h"
#include "wire/request_fields.h"

namespace det::api {
namespace {

// A Task object could not hold more.
constexpr std::size_t kLongestConfig = std::size_t{1} << 20;

const char* title(model::TaskType type) {
  switch (type) {
    case model::TaskType::kNotebook:
      return "invalid notebook config";
    case model::TaskType::kShell:
      return "invalid shell config";
    case model::TaskType::kCommand:
      return "invalid command config";
    case model::TaskType::kTensorBoard:
      return "invalid TensorBoard config";
    case model::TaskType::kGeneric:
    case model::TaskType::kCheckpointGc:
      break;
  }
  return "invalid task config";
}

// What the gate says, as REST answers it.
Error error_of(accept::Objection objection, model::TaskType type) {
  switch (objection.part) {
    case accept::Part::kContext:
      return with_context(joined_error(objection.errors, "context"), "the files");
    case accept::Part::kTemplate:
      objection.errors.front().field = "templateName";
      return std::move(objection.errors.front());
    case accept::Part::kPod:
    case accept::Part::kWorkspace:
    case accept::Part::kTensorBoard:
      return std::move(objection.errors.front());
    case accept::Part::kConfig:
      break;
  }
  if (objection.reason == accept::RefusalReason::kConfigPolicy) return std::move(objection.errors.front());
  return with_context(joined_error(objection.errors), title(type));
}

Error refused_by_kubernetes(Error error) {
  if (error.code == ErrorCode::kNotFound) {
    return {.code = ErrorCode::kFailedPrecondition,
            .message =
                "this cluster has no definition of Tasks, so that no notebook, shell, command or TensorBoard "
                "can be started: apply crds/tasks.yaml (" +
                error.message + ")",
            .field = "",
            .retry_after = {}};
  }
  if (error.code == ErrorCode::kPermissionDenied) {
    return {.code = ErrorCode::kFailedPrecondition,
            .message = "the operator may not make Task objects: give its Role `tasks` of det-operator.dev (" +
                       error.message + ")",
            .field = "",
            .retry_after = {}};
  }
  return with_context(std::move(error), "Kubernetes refused the Task object");
}

ObjectToMake task_to_make() {
  return {.resource = k8s::tasks(), .refused = refused_by_kubernetes};
}

struct Draft {
  LaunchRequest request;
  wire::Json shown_config;  // without secrets
  store::NewTask row;
};

wire::Json object_of(const ApiServices& services, const Draft& draft, std::string name) {
  return build_task({.name = std::move(name),
                     .ns = draft.row.ns,
                     .nonce = draft.row.nonce,
                     .controller_class = services.settings.controller_class,
                     .type = draft.request.type,
                     .config = draft.shown_config,
                     .template_name = draft.request.template_name,
                     .context_sha256 = draft.row.context.sha256,
                     .shown = draft.request.shown});
}

// Row, then object; the row goes again when the object cannot be.
Task<Result<store::TaskRow>> write_task(ApiServices& services, Draft draft) {
  auto row = co_await services.stores.tasks.insert(draft.row);
  DET_CO_TRY(row);
  const std::string name = task_object_name(draft.request.type, row->number);
  auto made = co_await make_object(services, task_to_make(), object_of(services, draft, name), name, draft.row.nonce);
  if (!made) {
    const Status gone = co_await services.stores.tasks.discard(draft.row.nonce);
    if (!gone) Logger("api").warn("the row of a task without an object stayed", {{"task", row->id}});
    co_return std::unexpected(made.error());
  }
  const std::string uid = (*made)["metadata"].value("uid", "");
  // The reconciler adopts the row too: when this fails, it is only later.
  auto adopted = co_await services.stores.tasks.adopt(draft.row.nonce, uid, draft.row.ns, name);
  if (adopted) co_return adopted;
  Logger("api").info("a new task was left for the reconciler to adopt", {{"task", row->id}});
  co_return row;
}

// Of its configuration only what says nothing of the program, its image, pod or place.
bool is_as_the_cluster_has_it(const LaunchRequest& request) {
  if (!request.files.empty() || !request.template_name.empty() || request.code) return false;
  const auto is_plain = [](const auto& field) { return field.key() == "description" || field.key() == "idle_timeout"; };
  return std::ranges::all_of(request.config.items(), is_plain);
}

// Where it is started. A TensorBoard is for looking (upstream's isNTSCPermittedToLaunch), unless it runs what the
// caller gives it: that would be a command by another name, with the keys and folders of what it shows.
model::Permission needed_to_start(const LaunchRequest& request) {
  const bool only_looks = request.type == model::TaskType::kTensorBoard && is_as_the_cluster_has_it(request);
  return only_looks ? model::Permission::kViewWorkspace : model::Permission::kCreateNsc;
}

// Those that the caller may look at, as they are now: what begins to match later is not shown.
Task<Status> choose_shown(ApiServices& services, LaunchRequest& request, Identity caller) {
  request.shown.experiments.clear();
  BulkChoice choice{.ids = {}, .filter = std::move(request.filter)};
  const auto found = co_await find_chosen(services, std::move(caller), std::move(choice),
                                          model::Permission::kViewExperimentArtifacts, std::nullopt);
  DET_CO_TRY(found);
  for (const model::ExperimentId id : *found) request.shown.experiments.push_back(id.value);
  if (!found->empty() || !request.shown.trials.empty()) co_return Status();
  co_return fail(ErrorCode::kInvalidArgument, "filters: no experiment that you may look at matches them", "filters");
}

// What it is made of must be the caller's to look at.
Task<Status> check_what_is_read(ApiServices& services, const LaunchRequest& request, Identity caller) {
  constexpr model::Permission kNeeded = model::Permission::kViewExperimentArtifacts;
  if (request.workspace) DET_CO_TRY(require(caller, needed_to_start(request), *request.workspace));
  DET_CO_TRY(co_await require_template(services, caller, request.template_name));
  DET_CO_TRY(co_await require_experiments(services, caller, request.shown.experiments, kNeeded));
  co_return co_await require_trials(services, caller, request.shown.trials, kNeeded);
}

// Who may look at a TensorBoard sees what it shows: that is of the same workspace.
Task<Status> check_what_is_shown(ApiServices& services, Identity caller, accept::ShownByTensorBoard shown,
                                 model::WorkspaceId workspace) {
  if (!has_roles(caller)) co_return Status();
  const auto experiments = co_await services.stores.place_of.experiments(std::move(shown.experiments));
  DET_CO_TRY(experiments);
  const auto trials = co_await services.stores.place_of.trials(std::move(shown.trials));
  DET_CO_TRY(trials);
  const auto is_elsewhere = [workspace](model::WorkspaceId one) { return one != workspace; };
  if (std::ranges::none_of(*experiments, is_elsewhere) && std::ranges::none_of(*trials, is_elsewhere)) {
    co_return Status();
  }
  co_return fail(ErrorCode::kInvalidArgument,
                 "workspaceId: with roles a TensorBoard shows experiments of its own workspace only, and " +
                     to_string(workspace) +
                     " is not that of all of these: start one in each (filters.projectId narrows a filter)",
                 "workspaceId");
}

}  // namespace

Result<LaunchRequest> read_launch_request(model::TaskType type, std::string_view body) {
  auto json = wire::parse_body(body);
  DET_TRY(json);
  wire::RequestFields fields(*json);
  LaunchRequest request{.type = type};
  request.template_name = fields.string("templateName").value_or("");
  request.is_preview = fields.boolean("preview").value_or(false);
  if (const auto workspace = fields.integer("workspaceId"); workspace && *workspace != 0) {
    request.workspace = model::WorkspaceId{*workspace};
  }
  DET_TRY(fields.status());
  if (const wire::Json* config = fields.any("config")) {
    if (!config->is_object()) {
      return fail(ErrorCode::kInvalidArgument,
                  std::string(title(type)) + ": expected an object, got " + config->type_name(), "config");
    }
    request.config = *config;
    if (request.config.dump().size() > kLongestConfig) {
      return fail(ErrorCode::kInvalidArgument, std::string(title(type)) + ": longer than 1 MiB", "config");
    }
  }
  auto experiments = read_id_list(fields.any("experimentIds"), "experimentIds");
  DET_TRY(experiments);
  if (type == model::TaskType::kTensorBoard) {
    auto filter = read_bulk_filter(fields);
    DET_TRY(filter);
    request.filter = std::move(*filter);
  }
  auto trials = read_id_list(fields.any("trialIds"), "trialIds");
  DET_TRY(trials);
  request.shown = {.experiments = std::move(*experiments), .trials = std::move(*trials)};
  auto packed = pack_files(fields, "files");
  DET_TRY(packed);
  request.files = std::move(*packed);
  return request;
}

Task<Result<Launched>> launch_task(ApiServices& services, LaunchRequest request, Identity caller) {
  const store::UserRow& owner = caller.user;
  const Settings& settings = services.settings;
  if (request.filter) DET_CO_TRY(co_await choose_shown(services, request, caller));
  store::ContextRef context = request.code.value_or(store::ContextRef());
  if (!request.files.empty()) context = {.kind = "stored", .sha256 = request.files.sha256};
  accept::TaskSubmission submission{.ns = settings.ns,
                                    .by_server = true,
                                    .type = request.type,
                                    .config = model::drop_masks(request.config),
                                    .template_name = request.template_name,
                                    .workspace = {},
                                    .workspace_id = request.workspace,
                                    .context = {},
                                    .code = context,
                                    .shown = request.shown,
                                    .owner = owner.id,
                                    .owner_is_admin = is_admin(caller),
                                    .name_seed = std::random_device()()};
  DET_CO_TRY(co_await check_what_is_read(services, request, caller));
  // Until the API server has been asked all that it is asked.
  std::optional<Turns::Turn> turn(co_await services.gate_turns.wait("user " + to_string(owner.id)));
  auto verdict = co_await services.gate.accept(pod_settings(settings), std::move(submission));
  DET_CO_TRY(verdict);
  if (auto* objection = std::get_if<accept::Objection>(&*verdict)) {
    co_return std::unexpected(error_of(std::move(*objection), request.type));
  }
  auto& accepted = std::get<accept::AcceptedTask>(*verdict);
  DET_CO_TRY(require(caller, needed_to_start(request), accepted.workspace));
  DET_CO_TRY(co_await check_what_is_shown(services, caller, request.shown, accepted.workspace));
  Launched launched{
      .row = std::nullopt, .config = accepted.config.document, .warnings = model::mask_warnings(request.config)};
  std::ranges::move(accepted.config.warnings, std::back_inserter(launched.warnings));
  const std::string ns = accepted.ns;
  auto row = accept::new_task(request.type, request.shown, std::move(accepted));
  DET_CO_TRY(row);
  Draft draft{.request = std::move(request), .shown_config = {}, .row = std::move(*row)};
  draft.shown_config = model::hide_secrets(model::drop_masks(draft.request.config));
  draft.row.nonce = uuid_v4();
  draft.row.ns = ns;
  draft.row.owner = owner.id;
  draft.row.kin = draft.request.kin;
  draft.row.submitted = draft.shown_config.is_object() ? draft.shown_config : wire::Json::object();
  DET_CO_TRY(co_await try_object(services, task_to_make(), object_of(services, draft, "task-" + draft.row.nonce)));
  turn.reset();
  if (draft.request.is_preview) co_return launched;
  if (!draft.request.files.empty()) {
    DET_CO_TRY(co_await services.stores.contexts.put(draft.row.context.sha256, std::move(draft.request.files.archive)));
  }
  auto written = co_await write_task(services, std::move(draft));
  DET_CO_TRY(written);
  launched.row = std::move(*written);
  co_return launched;
}

}  // namespace det::api
