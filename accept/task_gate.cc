#include "accept/task_gate.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "accept/find_template.h"
#include "accept/host_folders.h"
#include "accept/model_code.h"
#include "accept/objections.h"
#include "accept/on_workers.h"
#include "accept/pool_admission.h"
#include "base/json_get.h"
#include "model/cluster/cluster_defaults.h"
#include "model/cluster/task_namespaces.h"
#include "model/expconf/config_warnings.h"
#include "model/expconf/secret_fields.h"
#include "model/pod/pod_policy_check.h"
#include "pods/code_source.h"
#include "pods/names.h"
#include "pods/pod_env.h"
#include "pods/slot_resources.h"
#include "pods/standalone_task.h"
#include "pods/tensorboard_source.h"

namespace det::accept {
namespace {

using nlohmann::json;

constexpr model::WorkspaceId kUncategorized{1};
constexpr std::size_t kLongestEntrypoint = longest_value_of("DET_ENTRYPOINT");
constexpr std::size_t kLongestNotebook = longest_value_of("NOTEBOOK_CONFIG");

// What of a configuration decides what runs in the pod, or what it can reach.
constexpr const char* kOwnPrograms[] = {"image", "pod_spec", "environment_variables"};

}  // namespace

// What is known so far.
struct TaskGate::Draft {
  pods::PodSettings settings;
  TaskSubmission submission;
  json template_config;
  model::WorkspaceId workspace;
  model::ConfigPolicies policies;
  std::vector<FoundExperiment> found;  // what a TensorBoard shows
  pods::TensorBoardSource source;
  model::AcceptedTaskConfig accepted;
  CodeFound code;
  MaybeObjection pod_refused;

  [[nodiscard]] MaybeObjection complete();
  [[nodiscard]] int slots_of_pod() const;
  [[nodiscard]] json trial_pod() const;

 private:
  [[nodiscard]] const FoundExperiment* foreign_credentials() const;
  [[nodiscard]] MaybeObjection own_programs() const;
  [[nodiscard]] MaybeObjection own_folders() const;
  [[nodiscard]] MaybeObjection own_namespace() const;
  [[nodiscard]] MaybeObjection too_long() const;
  void take_image();
  static void add_pull_secrets(json& environment, const json& pulls);
};

// One of the experiments whose credentials are not the owner's to read; null where there is none.
const FoundExperiment* TaskGate::Draft::foreign_credentials() const {
  if (submission.owner_is_admin) return nullptr;
  const auto is_foreign = [&](const FoundExperiment& one) {
    return one.owner != submission.owner && model::holds_credentials(get_any(one.shown.config, "checkpoint_storage"));
  };
  const auto foreign = std::ranges::find_if(found, is_foreign);
  return foreign == found.end() ? nullptr : &*foreign;
}

// Whoever chooses the programs of a pod reads all that it holds: the credentials of other people's storage too.
TaskGate::MaybeObjection TaskGate::Draft::own_programs() const {
  const FoundExperiment* foreign = foreign_credentials();
  if (foreign == nullptr) return std::nullopt;
  const std::string why = "a TensorBoard over experiment " + to_string(foreign->shown.id) +
                          ", which is another user's and keeps its files with credentials of its own, runs the "
                          "cluster's programs only; leave this out";
  for (const json* layer : {&submission.config, &template_config}) {
    const json& environment = get_object(*layer, "environment");
    for (const char* name : kOwnPrograms) {
      if (get_any(environment, name).is_null()) continue;
      return refuse(RefusalReason::kInvalidConfig, Part::kConfig, std::string("environment.") + name, why);
    }
    if (get_array(*layer, "bind_mounts").empty()) continue;
    return refuse(RefusalReason::kInvalidConfig, Part::kConfig, "bind_mounts", why);
  }
  if (!submission.context.is_null() || (submission.code && !submission.code->sha256.empty())) {
    return refuse(RefusalReason::kInvalidContext, Part::kContext, "", why);
  }
  return std::nullopt;
}

// Whoever may read the Secrets of the namespace of a Task object reads the credentials that its pod is given.
TaskGate::MaybeObjection TaskGate::Draft::own_namespace() const {
  if (submission.by_server) return std::nullopt;
  const auto foreign = std::ranges::find_if(found, [&](const FoundExperiment& one) {
    return one.ns != submission.ns && model::holds_credentials(get_any(one.shown.config, "checkpoint_storage"));
  });
  if (foreign == found.end()) return std::nullopt;
  return refuse(RefusalReason::kNothingToShow, Part::kTensorBoard, "",
                "experiment " + to_string(foreign->shown.id) + " belongs to namespace " + foreign->ns +
                    " and keeps its files with credentials of its own: show it by a Task object there, or by `det " +
                    "tensorboard start`");
}

// Folders of nodes that pods of another namespace may mount are not for those of this one, and nobody has looked at
// those of an unmanaged experiment, which has no pods.
TaskGate::MaybeObjection TaskGate::Draft::own_folders() const {
  if (found.empty()) return std::nullopt;
  const json& resources = get_object(accepted.document, "resources");
  const std::string pool = model::pool_or_default(get_string(resources, "resource_pool"),
                                                  accepted.config.resources.slots_per_trial, settings.master);
  const model::PodPolicy policy = settings.master.pod_policies.of(submission.ns, pool);
  const json cluster =
      model::cluster_layer(model::cluster_defaults(settings.master), accepted.config.resources.slots_per_trial, pool);
  for (const FoundExperiment& one : found) {
    if (one.ns == submission.ns && !one.is_unmanaged) continue;
    const json mounted = pods::mounted_for_tensorboard(one.shown.config);
    const FieldErrors refused = model::check_pod_policy(mounted, cluster, policy);
    if (refused.empty()) continue;
    return refuse(RefusalReason::kNothingToShow, Part::kTensorBoard, "",
                  "experiment " + to_string(one.shown.id) + " keeps its files in a folder that pods of namespace " +
                      submission.ns +
                      " may not mount; start the TensorBoard in a namespace that may: " + refused.front().message);
  }
  return std::nullopt;
}

// It shows files of the latest experiment's programs: without an image of its own it gets theirs, and with what they
// are pulled.
void TaskGate::Draft::take_image() {
  const bool names_image = !get_any(get_object(submission.config, "environment"), "image").is_null() ||
                           !get_any(get_object(template_config, "environment"), "image").is_null();
  if (names_image || found.empty() || foreign_credentials() != nullptr) return;
  const FoundExperiment& latest = found.back();
  // Another user's image is what they chose to run with their own rights.
  if (latest.owner != submission.owner) return;
  const json& theirs = get_object(latest.shown.config, "environment");
  if (!submission.config.is_object()) submission.config = json::object();
  json& environment = submission.config["environment"];
  if (!environment.is_object()) environment = json::object();
  environment["image"] = get_any(theirs, "image");
  const json& auth = get_any(theirs, "registry_auth");
  if (get_any(environment, "registry_auth").is_null() && !auth.is_null()) environment["registry_auth"] = auth;
  const json& pulls = get_array(get_object(get_object(theirs, "pod_spec"), "spec"), "imagePullSecrets");
  if (!pulls.empty()) add_pull_secrets(environment, pulls);
}

// Beside those that it has. What is no pod_spec is left to be objected to.
void TaskGate::Draft::add_pull_secrets(json& environment, const json& pulls) {
  json wanted = get_any(environment, "pod_spec");
  if (wanted.is_null()) wanted = json::object();
  if (!wanted.is_object() || !(get_any(wanted, "spec").is_null() || wanted["spec"].is_object())) return;
  json& list = wanted["spec"]["imagePullSecrets"];
  if (list.is_null()) list = json::array();
  if (!list.is_array()) return;
  for (const json& pull : pulls) {
    if (std::ranges::find(list, pull) == list.end()) list.push_back(pull);
  }
  environment["pod_spec"] = std::move(wanted);
}

// The program gets the words in one variable, a notebook its whole configuration in another.
TaskGate::MaybeObjection TaskGate::Draft::too_long() const {
  const bool is_notebook = submission.type == model::TaskType::kNotebook;
  if (const std::size_t all = is_notebook ? accepted.document.dump().size() : 0; all > kLongestNotebook) {
    return refuse(RefusalReason::kInvalidConfig, Part::kConfig, "environment",
                  "with it the configuration has " + std::to_string(all) +
                      " bytes, in which variables given as a list "
                      "count three times; a notebook takes up to " +
                      std::to_string(kLongestNotebook) + ": put long values into a file of its context");
  }
  const std::size_t size = json(accepted.config.entrypoint).dump().size();
  if (size <= kLongestEntrypoint) return std::nullopt;
  return refuse(RefusalReason::kInvalidConfig, Part::kConfig, "entrypoint",
                "its words have " + std::to_string(size) + " bytes; up to " + std::to_string(kLongestEntrypoint) +
                    " work: put long lists into a file of its context, and let a script read them");
}

TaskGate::MaybeObjection TaskGate::Draft::complete() {
  if (auto refused = own_namespace()) return refused;
  if (auto refused = own_programs()) return refused;
  if (submission.type == model::TaskType::kTensorBoard) take_image();
  model::AcceptContext context;
  context.name_seed = submission.name_seed;
  context.master = &settings.master;
  context.ns = submission.ns;
  context.template_name = submission.template_name;
  context.template_config = template_config;
  context.policies = &policies;
  context.has_files = !submission.context.is_null() || (submission.code && !submission.code->sha256.empty());
  auto done =
      model::accept_task_config(submission.type, submission.config, model::cluster_defaults(settings.master), context);
  if (!done) return wrong_config(std::move(done).error());
  if (settings.master.pods_run_here) {
    FieldErrors missing = missing_host_folders(nullptr, done->config.bind_mounts);
    if (!missing.empty()) return wrong_config(std::move(missing));
  }
  // What an administrator changes can make it right.
  const Status kept = model::check_constraints(policies, done->document);
  if (!kept) return refuse(RefusalReason::kConfigPolicy, Part::kConfig, kept.error());
  accepted = std::move(*done);
  auto idle = model::idle_priority(settings.master.scheduler.type, submission.config, template_config);
  if (idle) accepted.warnings.push_back(std::move(*idle));
  const model::SlotRule slots = pods::slots_of(settings, accepted.config.resources);
  std::ranges::move(pods::overruled_fields(submission.config, slots, slots_of_pod()),
                    std::back_inserter(accepted.warnings));
  std::ranges::move(pods::overruled_variables(submission.config, false), std::back_inserter(accepted.warnings));
  if (auto refused = too_long()) return refused;
  return own_folders();
}

int TaskGate::Draft::slots_of_pod() const {
  return static_cast<int>(std::min<std::int64_t>(accepted.config.resources.slots_per_trial,
                                                 pods::slots_of(settings, accepted.config.resources).max_per_pod));
}

// Its names tell nothing about whether it would be taken, and alike pods are tried once.
json TaskGate::Draft::trial_pod() const {
  pods::StandaloneTask task;
  task.type = submission.type;
  task.object = {.ns = submission.ns, .name = "dry-run"};
  task.slots_per_pod = slots_of_pod();
  task.source = source;
  json pod = pods::build_pod(settings, pods::standalone_task(settings, task, accepted.document, accepted.config), 0);
  pods::add_code_source(pod, code.source);
  pod["metadata"].erase("ownerReferences");  // the Task may not exist yet
  return pod;
}

Task<Result<TaskVerdict>> TaskGate::accept(pods::PodSettings settings, TaskSubmission submission) {
  Draft draft{.settings = std::move(settings), .submission = std::move(submission)};
  using Step = Task<Result<MaybeObjection>> (TaskGate::*)(Draft&);
  for (const Step step : {&TaskGate::find_template, &TaskGate::find_workspace, &TaskGate::find_shown,
                          &TaskGate::complete, &TaskGate::check_pool, &TaskGate::take_code, &TaskGate::try_pod}) {
    auto refused = co_await (this->*step)(draft);
    DET_CO_TRY(refused);
    if (*refused) co_return TaskVerdict(std::move(**refused));
  }
  co_return TaskVerdict(AcceptedTask{.config = std::move(draft.accepted),
                                     .workspace = draft.workspace,
                                     .ns = std::move(draft.submission.ns),
                                     .code = std::move(draft.code.ref),
                                     .pod_refused = std::move(draft.pod_refused)});
}

Task<Result<TaskGate::MaybeObjection>> TaskGate::find_template(Draft& draft) {
  auto found = co_await accept::find_template(stores_.templates, draft.submission.template_name);
  DET_CO_TRY(found);
  if (auto* missing = std::get_if<Objection>(&*found)) co_return MaybeObjection(std::move(*missing));
  draft.template_config = std::get<json>(std::move(*found));
  co_return MaybeObjection();
}

Task<Result<TaskGate::MaybeObjection>> TaskGate::find_workspace(Draft& draft) {
  const TaskSubmission& submission = draft.submission;
  draft.workspace = submission.workspace_id.value_or(kUncategorized);
  const bool by_name = !submission.workspace.empty();
  auto found = by_name ? co_await stores_.workspaces.for_tasks_named(submission.workspace)
                       : co_await stores_.workspaces.for_tasks(draft.workspace);
  if (!found && found.error().code != ErrorCode::kNotFound) co_return std::unexpected(std::move(found).error());
  if (!found || found->archived || found->state == store::PlaceState::kDeleting) {
    const std::string shown = by_name ? submission.workspace : to_string(draft.workspace);
    Objection missing = refuse(RefusalReason::kWorkspaceNotFound, Part::kWorkspace,
                               {.code = ErrorCode::kNotFound,
                                .message = "workspace '" + shown + "' not found",
                                .field = "",
                                .retry_after = {}});
    missing.remedy = "leave it out for Uncategorized";
    missing.may_pass = true;
    co_return MaybeObjection(std::move(missing));
  }
  if (submission.by_server) {
    if (!found->defaults.ns.empty()) draft.submission.ns = found->defaults.ns;
    DET_CO_TRY(model::check_task_namespace(draft.settings.master.task_namespaces, submission.ns));
  }
  draft.settings.master = model::with_workspace(std::move(draft.settings.master), found->defaults);
  draft.workspace = found->id;
  auto policies = co_await stores_.config_policies.of_workspace(draft.workspace, model::WorkloadType::kNtsc);
  DET_CO_TRY(policies);
  draft.policies = std::move(*policies);
  co_return MaybeObjection();
}

Task<Result<TaskGate::MaybeObjection>> TaskGate::find_shown(Draft& draft) {
  if (draft.submission.type != model::TaskType::kTensorBoard) co_return MaybeObjection();
  auto found = co_await accept::find_shown(stores_.experiments, stores_.trials, draft.submission.shown);
  if (!found && found.error().code == ErrorCode::kNotFound) {
    co_return MaybeObjection(refuse(RefusalReason::kNothingToShow, Part::kTensorBoard, std::move(found).error()));
  }
  DET_CO_TRY(found);
  if (found->empty()) {
    co_return MaybeObjection(refuse(RefusalReason::kNothingToShow, Part::kTensorBoard, "",
                                    "it shows nothing: name an experiment or a trial"));
  }
  draft.found = std::move(*found);
  auto source = pods::tensorboard_source(draft.settings.cluster_id, only_shown(draft.found));
  if (!source && source.error().code == ErrorCode::kInvalidArgument) {
    co_return MaybeObjection(refuse(RefusalReason::kNothingToShow, Part::kTensorBoard, std::move(source).error()));
  }
  DET_CO_TRY(source);
  draft.source = std::move(*source);
  co_return MaybeObjection();
}

Task<Result<TaskGate::MaybeObjection>> TaskGate::complete(Draft& draft) {
  auto work = [&draft] { return draft.complete(); };
  co_return co_await run_on_workers(workers_, std::move(work));
}

Task<Result<TaskGate::MaybeObjection>> TaskGate::check_pool(Draft& draft) {
  std::string pool = get_string(get_any(draft.accepted.document, "resources"), "resource_pool");
  co_return co_await check_pool_admits(stores_.pool_bindings, std::move(pool), draft.workspace);
}

Task<Result<TaskGate::MaybeObjection>> TaskGate::take_code(Draft& draft) {
  const TaskSubmission& submission = draft.submission;
  const json& resources = get_any(draft.accepted.document, "resources");
  const CodeRequest wanted{.ns = submission.ns,
                           .context = submission.context,
                           .code = submission.code,
                           .slots = draft.accepted.config.resources.slots_per_trial,
                           .pool = get_string(resources, "resource_pool")};
  ModelCode code(kubernetes_, stores_.contexts, submission.ns, workers_);
  auto found = co_await code.take(draft.settings.master, wanted);
  DET_CO_TRY(found);
  if (auto* refused = std::get_if<Objection>(&*found)) co_return MaybeObjection(std::move(*refused));
  draft.code = std::get<CodeFound>(std::move(*found));
  co_return MaybeObjection();
}

Task<Result<TaskGate::MaybeObjection>> TaskGate::try_pod(Draft& draft) {
  auto work = [&draft] { return draft.trial_pod(); };
  json pod = co_await run_on_workers(workers_, std::move(work));
  auto tried = co_await pods_.run(draft.submission.ns, std::move(pod));
  DET_CO_TRY(tried);
  if (!*tried || !(*tried)->may_pass) co_return std::move(*tried);
  draft.pod_refused = std::move(*tried);
  co_return MaybeObjection();
}

}  // namespace det::accept
