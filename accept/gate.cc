#include "accept/gate.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "accept/find_template.h"
#include "accept/host_folders.h"
#include "accept/model_code.h"
#include "accept/objections.h"
#include "accept/on_workers.h"
#include "accept/pool_admission.h"
#include "accept/pool_move.h"
#include "accept/webhook_names.h"
#include "base/json_get.h"
#include "model/cluster/cluster_defaults.h"
#include "model/cluster/task_namespaces.h"
#include "model/expconf/accept_checks.h"
#include "model/expconf/config_warnings.h"
#include "model/expconf/secret_fields.h"
#include "model/pod/pod_policy_check.h"
#include "pods/code_source.h"
#include "pods/names.h"
#include "pods/pod_env.h"
#include "pods/slot_resources.h"
#include "pods/trial_task.h"
#include "searcher/make_search.h"

namespace det::accept {
namespace {

using nlohmann::json;

std::uint32_t unix_seconds(WallTime time) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

// Whoever may read the Secrets of the namespace of an Experiment object reads the credentials that its pods are given.
std::optional<Objection> foreign_storage(const Submission& submission, const store::ProjectPlace& place) {
  const std::string& ns = place.defaults.ns;
  if (submission.by_server || ns.empty() || ns == submission.ns) return std::nullopt;
  if (!model::holds_credentials(place.defaults.checkpoint_storage)) return std::nullopt;
  return refuse(RefusalReason::kInvalidConfig, Part::kConfig, "workspace",
                "this workspace belongs to namespace " + ns +
                    " and keeps checkpoints with credentials of its own: create the Experiment there");
}

constexpr std::size_t kLongestConfig = longest_value_of("DET_EXPERIMENT_CONFIG");

std::optional<Objection> too_long(const json& document) {
  const std::size_t size = document.dump().size();
  if (size <= kLongestConfig) return std::nullopt;
  return refuse(RefusalReason::kInvalidConfig, Part::kConfig, "",
                "the complete configuration has " + std::to_string(size) + " bytes; up to " +
                    std::to_string(kLongestConfig) +
                    " work, because programs get it in a variable: put long lists into a file beside the program");
}

// Why nothing new may be put there.
std::optional<Objection> closed_place(const store::ProjectPlace& place) {
  std::string why;
  if (place.is_going) {
    why = "project (" + to_string(place.project) + ") is being deleted";
  } else if (place.is_workspace_archived) {
    why = "workspace is archived and cannot add new experiments";
  } else if (place.is_project_archived) {
    why = "project is archived and cannot add new experiments";
  } else {
    return std::nullopt;
  }
  Objection closed = refuse(
      RefusalReason::kProjectArchived, Part::kConfig,
      {.code = ErrorCode::kFailedPrecondition, .message = std::move(why), .field = "project", .retry_after = {}});
  closed.may_pass = true;
  return closed;
}

}  // namespace

// What is known so far.
struct Gate::Draft {
  pods::PodSettings settings;
  Submission submission;
  json template_config;
  model::ProjectId project;
  model::WorkspaceId workspace;
  json workspace_storage;
  model::ConfigPolicies policies;
  model::AcceptedConfig accepted;
  CodeFound code;
  MaybeObjection pod_refused;

  [[nodiscard]] std::optional<Objection> complete(WallTime now);
  [[nodiscard]] model::SlotRule slots_of_pool() const;
  [[nodiscard]] int slots_of_pod() const;
  [[nodiscard]] json trial_pod();
  // What people wrote: of one that goes on only what is new, as the rest was looked at before.
  [[nodiscard]] const json& written() const { return submission.frozen ? submission.config : accepted.document; }

 private:
  [[nodiscard]] std::expected<model::AcceptedConfig, FieldErrors> anew(WallTime now) const;
  [[nodiscard]] std::expected<model::AcceptedConfig, FieldErrors> over_frozen() const;
};

std::expected<model::AcceptedConfig, FieldErrors> Gate::Draft::anew(WallTime now) const {
  model::AcceptContext context;
  context.name_seed = submission.name_seed;
  context.default_seed = unix_seconds(now);
  context.master = &settings.master;
  context.ns = submission.ns;
  context.template_name = submission.template_name;
  context.template_config = template_config;
  context.workspace_storage = workspace_storage;
  context.policies = &policies;
  context.is_unmanaged = submission.is_unmanaged;
  return model::accept_config(submission.config, model::cluster_defaults(settings.master), context);
}

std::expected<model::AcceptedConfig, FieldErrors> Gate::Draft::over_frozen() const {
  if (FieldErrors broken = model::check_partial_config(submission.config); !broken.empty()) {
    return std::unexpected(std::move(broken));
  }
  const json merged = model::lay_over(submission.config, *submission.frozen);
  // What the two make together has not been checked yet.
  const json& resources = get_object(merged, "resources");
  const std::string pool =
      model::pool_or_default(get_string(resources, "resource_pool"),
                             whole_number(get_any(resources, "slots_per_trial")).value_or(1), settings.master);
  model::AcceptContext context;
  context.max_per_pod = model::slot_rule(pool, settings.master).max_per_pod;
  context.policies = &policies;
  auto done = model::accept_config(merged, json::object(), context);
  FieldErrors errors = done ? FieldErrors() : done.error();
  if (!get_any(get_object(submission.config, "resources"), "resource_pool").is_null()) {
    model::check_pool(pool, settings.master, errors);
  }
  // What it was accepted with it keeps, whatever the policy is by now.
  const model::PodPolicy policy = settings.master.pod_policies.of(submission.ns, pool);
  for (Error& error : model::check_pod_policy(submission.config, *submission.frozen, policy)) {
    errors.push_back(std::move(error));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  // What it went on with was told when it was accepted.
  done->warnings = model::config_warnings(submission.config, json(), done->document);
  return done;
}

std::optional<Objection> Gate::Draft::complete(WallTime now) {
  auto done = submission.frozen ? over_frozen() : anew(now);
  if (!done) return wrong_config(std::move(done).error());
  if (settings.master.pods_run_here && !submission.is_unmanaged) {
    FieldErrors missing = missing_host_folders(&done->config.checkpoint_storage, done->config.bind_mounts);
    if (!missing.empty()) return wrong_config(std::move(missing));
  }
  const model::SearcherConfig& search = done->config.searcher;
  const Status runs =
      searcher::check_search(search, get_any(done->document, "hyperparameters"), searcher::generation_of(search));
  if (!runs) return refuse(RefusalReason::kInvalidConfig, Part::kConfig, runs.error());
  // What an administrator changes can make it right.
  const Status kept = model::check_constraints(policies, done->document);
  if (!kept) return refuse(RefusalReason::kConfigPolicy, Part::kConfig, kept.error());
  if (!submission.is_unmanaged) {
    if (auto refused = too_long(done->document)) return refused;
  }
  accepted = std::move(*done);
  auto idle = model::idle_priority(settings.master.scheduler.type, submission.config, template_config);
  if (submission.is_unmanaged) return std::nullopt;
  if (idle) accepted.warnings.push_back(std::move(*idle));
  std::ranges::move(pods::overruled_fields(submission.config, slots_of_pool(), slots_of_pod()),
                    std::back_inserter(accepted.warnings));
  std::ranges::move(pods::overruled_variables(submission.config, true), std::back_inserter(accepted.warnings));
  return std::nullopt;
}

model::SlotRule Gate::Draft::slots_of_pool() const {
  return pods::slots_of(settings, accepted.config.resources);
}

int Gate::Draft::slots_of_pod() const {
  return static_cast<int>(
      std::min<std::int64_t>(accepted.config.resources.slots_per_trial, slots_of_pool().max_per_pod));
}

// Its names tell nothing about whether it would be taken, and alike pods are tried once.
json Gate::Draft::trial_pod() {
  pods::TrialTask trial;
  trial.experiment_object = "dry-run";
  trial.trial = {.ns = submission.ns, .name = pods::trial_object_name(trial.experiment_object, model::TrialId{1})};
  trial.slots_per_pod = slots_of_pod();
  // The Secret's content has no say in it.
  json pod = pods::build_pod(settings, pods::trial_task(trial, json(), accepted.config), 0);
  pods::add_code_source(pod, code.source);
  pod["metadata"].erase("ownerReferences");  // the Trial does not exist yet
  return pod;
}

Task<Result<TaskVerdict>> Gate::accept(pods::PodSettings settings, TaskSubmission submission) {
  co_return co_await tasks_.accept(std::move(settings), std::move(submission));
}

Task<Result<std::optional<Objection>>> Gate::check_move(model::MasterConfig master, store::ExperimentRow experiment,
                                                        std::string pool) {
  co_return co_await check_pool_move(stores_, std::move(master), std::move(experiment), std::move(pool));
}

Task<Result<Verdict>> Gate::accept(pods::PodSettings settings, Submission submission) {
  Draft draft{.settings = std::move(settings), .submission = std::move(submission)};
  using Step = Task<Result<MaybeObjection>> (Gate::*)(Draft&);
  for (const Step step : {&Gate::find_template, &Gate::find_project, &Gate::complete, &Gate::check_pool,
                          &Gate::check_warm_start, &Gate::look_for_webhooks, &Gate::take_code, &Gate::try_pod}) {
    auto refused = co_await (this->*step)(draft);
    DET_CO_TRY(refused);
    if (*refused) co_return Verdict(std::move(**refused));
  }
  co_return Verdict(Accepted{.config = std::move(draft.accepted),
                             .project = draft.project,
                             .ns = std::move(draft.submission.ns),
                             .code = std::move(draft.code.ref),
                             .pod_refused = std::move(draft.pod_refused)});
}

Task<Result<Gate::MaybeObjection>> Gate::find_template(Draft& draft) {
  auto found = co_await accept::find_template(stores_.templates, draft.submission.template_name);
  DET_CO_TRY(found);
  if (auto* missing = std::get_if<Objection>(&*found)) co_return MaybeObjection(std::move(*missing));
  draft.template_config = std::get<json>(std::move(*found));
  co_return MaybeObjection();
}

// What was chosen, unless that is the one where everything is without a choice, then the configuration's. It decides
// which config policies count, and what the workspace puts under the configuration.
Task<Result<Gate::MaybeObjection>> Gate::find_project(Draft& draft) {
  const Submission& submission = draft.submission;
  draft.project = submission.project.value_or(store::NewExperiment().project);
  const auto name = model::named_project(submission.config, draft.template_config);
  const bool by_name = name && !submission.frozen && draft.project == store::NewExperiment().project;
  auto place = by_name ? co_await stores_.workspaces.place_named(name->workspace, name->project)
                       : co_await stores_.workspaces.place(draft.project);
  if (!place && place.error().code == ErrorCode::kNotFound) {
    Objection missing = refuse(RefusalReason::kProjectNotFound, Part::kConfig, std::move(place).error());
    if (by_name) missing.remedy = "create it with `det project create`, or leave out `workspace` and `project`";
    missing.may_pass = true;
    co_return MaybeObjection(std::move(missing));
  }
  DET_CO_TRY(place);
  draft.project = place->project;
  draft.workspace = place->workspace;
  if (submission.by_server && !submission.is_unmanaged) {
    if (!place->defaults.ns.empty()) draft.submission.ns = place->defaults.ns;
    DET_CO_TRY(model::check_task_namespace(draft.settings.master.task_namespaces, submission.ns));
  }
  // What goes on stays where it is, with what it was accepted with.
  if (!submission.frozen) {
    if (auto foreign = foreign_storage(submission, *place)) co_return std::move(foreign);
    if (auto closed = closed_place(*place)) co_return std::move(closed);
    draft.settings.master = model::with_workspace(std::move(draft.settings.master), place->defaults);
    draft.workspace_storage = std::move(place->defaults.checkpoint_storage);
  }
  auto policies = co_await stores_.config_policies.of_project(draft.project, model::WorkloadType::kExperiment);
  DET_CO_TRY(policies);
  draft.policies = std::move(*policies);
  co_return MaybeObjection();
}

Task<Result<Gate::MaybeObjection>> Gate::complete(Draft& draft) {
  auto work = [&draft, now = clock_.wall_now()] { return draft.complete(now); };
  co_return co_await run_on_workers(workers_, std::move(work));
}

Task<Result<Gate::MaybeObjection>> Gate::check_pool(Draft& draft) {
  if (draft.submission.is_unmanaged) co_return MaybeObjection();
  std::string pool = get_string(get_any(draft.accepted.document, "resources"), "resource_pool");
  co_return co_await check_pool_admits(stores_.pool_bindings, std::move(pool), draft.workspace);
}

Task<Result<Gate::MaybeObjection>> Gate::check_warm_start(Draft& draft) {
  // Trials that go on do so from checkpoints of their own.
  const json& wanted = get_object(draft.written(), "searcher");
  if (get_any(wanted, "source_trial_id").is_null() && get_any(wanted, "source_checkpoint_uuid").is_null()) {
    co_return MaybeObjection();
  }
  const model::SearcherConfig& search = draft.accepted.config.searcher;
  std::optional<model::TrialId> source;
  if (search.source_trial_id) source = model::TrialId{*search.source_trial_id};
  auto start = co_await stores_.checkpoints.warm_start(search.source_checkpoint_uuid, source);
  if (start) co_return MaybeObjection();
  if (start.error().code != ErrorCode::kInvalidArgument) co_return std::unexpected(std::move(start).error());
  co_return MaybeObjection(refuse(RefusalReason::kInvalidConfig, Part::kConfig, std::move(start).error()));
}

Task<Result<Gate::MaybeObjection>> Gate::look_for_webhooks(Draft& draft) {
  auto unknown = co_await unknown_webhooks(stores_.webhooks, draft.workspace, draft.written());
  DET_CO_TRY(unknown);
  std::ranges::move(*unknown, std::back_inserter(draft.accepted.warnings));
  co_return MaybeObjection();
}

Task<Result<Gate::MaybeObjection>> Gate::take_code(Draft& draft) {
  const Submission& submission = draft.submission;
  const json& resources = get_any(draft.accepted.document, "resources");
  const CodeRequest wanted{.ns = submission.ns,
                           .context = submission.context,
                           .code = submission.code,
                           .slots = get_integer(resources, "slots_per_trial"),
                           .pool = get_string(resources, "resource_pool"),
                           // What it was accepted with it keeps; its next run waits until the policy allows it.
                           .is_checked = !submission.frozen};
  ModelCode code(kubernetes_, stores_.contexts, submission.ns, workers_);
  auto found = co_await code.take(draft.settings.master, wanted);
  DET_CO_TRY(found);
  if (auto* refused = std::get_if<Objection>(&*found)) co_return MaybeObjection(std::move(*refused));
  draft.code = std::get<CodeFound>(std::move(*found));
  co_return MaybeObjection();
}

Task<Result<Gate::MaybeObjection>> Gate::try_pod(Draft& draft) {
  if (draft.submission.is_unmanaged) co_return MaybeObjection();
  auto work = [&draft] { return draft.trial_pod(); };
  json pod = co_await run_on_workers(workers_, std::move(work));
  auto tried = co_await pods_.run(draft.submission.ns, std::move(pod));
  DET_CO_TRY(tried);
  if (!*tried || !(*tried)->may_pass) co_return std::move(*tried);
  draft.pod_refused = std::move(*tried);
  co_return MaybeObjection();
}

}  // namespace det::accept
