#include "api/experiments/experiment_continue.h"

#include <algorithm>

#include "accept/gate.h"
#include "api/access_check.h"
#include "api/experiments/experiment_object.h"
#include "api/experiments/pod_settings.h"
#include "api/experiments/warm_start_access.h"
#include "api/trials/trial_memory.h"
#include "base/encoding.h"
#include "base/guarded_work.h"
#include "base/json_get.h"
#include "base/yaml.h"
#include "model/cluster/task_namespaces.h"
#include "model/expconf/secret_fields.h"
#include "pods/names.h"

namespace det::api {

namespace {

constexpr std::chrono::seconds kGoneTimeout{60};
constexpr std::chrono::milliseconds kLookAgain{200};
constexpr int kMaxTries = 5;
constexpr const char* kPolicyField = "deletionPolicy";
constexpr const char* kDeletes = "Delete";

std::unexpected<Error> refuse(std::string message, std::string field = {}) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), std::move(field));
}

// The override as a mapping; empty when there is none.
Result<wire::Json> read_override(const std::string& yaml) {
  if (yaml.find_first_not_of(" \t\r\n") == std::string::npos) return wire::Json::object();
  auto parsed = parse_yaml(yaml);
  if (!parsed) return std::unexpected(with_context(parsed.error(), "overrideConfig"));
  if (parsed->is_null()) return wire::Json::object();
  if (!parsed->is_object()) {
    return refuse("overrideConfig: expected a mapping, got " + std::string(parsed->type_name()), "overrideConfig");
  }
  *parsed = model::drop_masks(std::move(*parsed));
  for (const char* fixed : {"project", "workspace"}) {
    if (parsed->value(fixed, wire::Json()).is_null()) continue;
    return refuse("overrideConfig." + std::string(fixed) + ": cannot be overridden when an experiment is continued",
                  fixed);
  }
  return parsed;
}

// Whether this search can go on, and with an override.
Status check_search(const wire::Json& config, const std::vector<store::TrialRow>& trials, bool has_override) {
  const std::string name = get_string(get_any(config, "searcher"), "name");
  if (name != "single" && name != "random" && name != "grid") {
    return refuse("searcher.name: an experiment with the searcher '" + name +
                      "' cannot be continued, only single, random and grid; create a new one, which may begin from a "
                      "checkpoint (searcher.source_checkpoint_uuid)",
                  "searcher.name");
  }
  if (name == "single") return {};
  if (has_override) {
    return refuse(
        "overrideConfig: only the searcher 'single' can be continued with another configuration, not '" + name + "'",
        "overrideConfig");
  }
  const auto is_complete = [](const store::TrialRow& trial) { return trial.state == model::TrialState::kCompleted; };
  if (!std::ranges::all_of(trials, is_complete)) return {};
  return refuse("experiment has been completed, cannot continue this experiment");
}

Error error_of(const accept::Objection& objection) {
  const bool is_config =
      objection.part == accept::Part::kConfig && objection.reason != accept::RefusalReason::kConfigPolicy;
  if (!is_config) return objection.errors.front();
  return with_context(joined_error(objection.errors), "invalid experiment configuration");
}

std::unexpected<Error> refuse_others(const store::ExperimentRow& row) {
  return fail(ErrorCode::kFailedPrecondition,
              "experiment '" + to_string(row.id) + "' is being continued by another request");
}

// What of its configuration was changed while it ran, its pool too: it goes on with that, which its new object and its
// new configuration say.
wire::Json changed_since(const store::ExperimentRow& row) {
  wire::Json changed = wire::Json::object();
  for (const auto& [name, value] : row.live.items()) {
    const std::string section = name.starts_with("save_")         ? "checkpoint_storage"
                                : name == "max_concurrent_trials" ? "searcher"
                                                                  : "resources";
    // A search with one trial may be given a number of them, and takes none.
    if (section == "searcher" && !get_any(row.config, section).contains(name)) continue;
    changed[section][name] = value;
  }
  return changed;
}

// One without an object is being given one by another request, which ends soon, or was left so by one that died.
Task<Result<store::ExperimentRow>> wait_for_others(ApiServices& services, store::ExperimentRow row) {
  std::chrono::milliseconds waited{0};
  while (row.uid.empty() && waited < services.settings.verb_patience) {
    co_await services.clock.sleep_for(kLookAgain);
    waited += kLookAgain;
    auto now = co_await services.stores.experiments.find(row.id);
    DET_CO_TRY(now);
    if (!*now || (*now)->nonce != row.nonce || !model::is_terminal((*now)->state)) co_return refuse_others(row);
    row = std::move(**now);
  }
  co_return row;
}

// How the row names its object: by its uid; while that is not known, by the nonce that the object was made with.
struct OldObject {
  std::string uid;
  std::string nonce;
};

bool is_that(const wire::Json& object, const OldObject& old) {
  const wire::Json& meta = get_any(object, "metadata");
  if (!old.uid.empty()) return get_string(meta, "uid") == old.uid;
  return get_string(get_any(meta, "annotations"), kNonceAnnotation) == old.nonce;
}

// Where it may not be replaced, why.
Status check_replaceable(const wire::Json& object, const k8s::ObjectKey& key, const OldObject& old) {
  if (!is_that(object, old)) {
    return fail(ErrorCode::kAborted, "Experiment " + to_string(key) +
                                         " is not the object that this experiment had: somebody made another one "
                                         "under its name; delete or rename that, then try again");
  }
  if (const auto manager = owner_of_spec_field(object, "config")) {
    return fail(ErrorCode::kAborted, "Experiment " + to_string(key) + " is kept by '" + *manager +
                                         "' (for example from Git), which would undo this: change it there");
  }
  return {};
}

// The history outlives the object: of one that goes with the policy Delete the reconciler would remove both. Whoever is
// killed after this leaves an object that keeps it. kAborted: somebody else wrote the object in between.
Task<Status> keep_history(ApiServices& services, k8s::ObjectKey key, wire::Json object) {
  const wire::Json& meta = get_any(object, "metadata");
  const wire::Json& finalizers = get_array(meta, "finalizers");
  wire::Json others = wire::Json::array();
  for (const wire::Json& finalizer : finalizers) {
    if (finalizer != wire::Json(pods::kFinalizer)) others.push_back(finalizer);
  }
  const bool is_ours_there = others.size() < finalizers.size();
  const bool goes_along = get_string(get_any(object, "spec"), kPolicyField) == kDeletes;
  if (!goes_along && !is_ours_there) co_return Status();
  if (goes_along && is_ours_there && get_any(meta, "deletionTimestamp").is_string()) {
    co_return fail(ErrorCode::kFailedPrecondition,
                   "Experiment " + to_string(key) +
                       " is being deleted with its history; with deletionPolicy Keep the history stays, and can be "
                       "continued");
  }
  wire::Json patch = {
      {"metadata", {{"resourceVersion", get_string(meta, "resourceVersion")}, {"finalizers", std::move(others)}}}};
  if (goes_along) patch["spec"][kPolicyField] = "Keep";
  k8s::PatchOptions options;
  options.write.field_manager = std::string(kFieldManager);
  const auto patched = co_await services.kubernetes.patch(k8s::experiments(), key, std::move(patch), options);
  if (!patched && patched.error().code != ErrorCode::kNotFound) co_return std::unexpected(patched.error());
  co_return Status();
}

// With all that it owned: the new object's trials have the same names. The row has another nonce by now, so that nobody
// adopts the old object any more. The answer is that object as it was; null: it was gone already.
Task<Result<wire::Json>> remove_old_object(ApiServices& services, k8s::ObjectKey key, OldObject old) {
  wire::Json object;
  std::string uid;
  for (int tries = 1;; ++tries) {
    auto found = co_await services.kubernetes.get(k8s::experiments(), key);
    if (!found && found.error().code == ErrorCode::kNotFound) co_return object;
    DET_CO_TRY(found);
    DET_CO_TRY(check_replaceable(*found, key, old));
    object = std::move(*found);
    const Status kept = co_await keep_history(services, key, object);
    uid = get_string(get_any(object, "metadata"), "uid");
    if (kept) break;
    if (kept.error().code != ErrorCode::kAborted || tries == kMaxTries) co_return std::unexpected(kept.error());
  }
  const Status removed =
      co_await services.kubernetes.remove(k8s::experiments(), key, {.uid = uid, .propagation = "Foreground"});
  DET_CO_TRY(removed);
  const SteadyTime end = services.clock.steady_now() + kGoneTimeout;
  for (;;) {
    const auto left = co_await services.kubernetes.get(k8s::experiments(), key);
    if (!left && left.error().code == ErrorCode::kNotFound) co_return object;
    if (left && (*left)["metadata"].value("uid", "") != uid) co_return object;
    if (services.clock.steady_now() >= end) break;
    co_await services.clock.sleep_for(kLookAgain);
  }
  co_return fail(ErrorCode::kUnavailable, "Experiment " + to_string(key) + " is still being deleted; try again");
}

// Row and object, in an order in which a crash leaves an experiment that is over and can be continued again: a
// reconciler that saw an object without its row would accept it as a new experiment. Of several at once the one that
// claimed the row last goes on: the steps of the others fail from then on, and none of them touches an object.
Task<Status> replace(ApiServices& services, store::ExperimentRow read, store::ContinuedExperiment change,
                     wire::Json written) {
  auto waited = co_await wait_for_others(services, std::move(read));
  DET_CO_TRY(waited);
  const store::ExperimentRow& row = *waited;
  const std::string nonce = change.nonce;
  auto uid_before = co_await services.stores.experiments.claim_to_continue(row.id, row.nonce, nonce);
  DET_CO_TRY(uid_before);
  const k8s::ObjectKey key{.ns = row.ns, .name = row.name.empty() ? experiment_object_name(row.id) : row.name};
  OldObject old{.uid = std::move(*uid_before), .nonce = row.nonce};
  const auto before = co_await remove_old_object(services, key, std::move(old));
  DET_CO_TRY(before);
  DET_CO_TRY(co_await services.stores.experiments.prepare_to_continue(row.id, std::move(change)));
  wire::Json object = build_experiment({.name = key.name,
                                        .ns = key.ns,
                                        .nonce = nonce,
                                        .controller_class = services.settings.controller_class,
                                        .config = std::move(written),
                                        .context_sha256 = row.context.sha256,
                                        .suspend = false,
                                        .deletion_policy = get_string(get_any(*before, "spec"), kPolicyField)});
  // Its row has the nonce already, so that nobody reads the template or the code of the new object.
  object = take_over(std::move(object), *before);
  const auto made = co_await services.kubernetes.create(k8s::experiments(), key.ns, std::move(object), {});
  if (!made) co_return std::unexpected(with_context(made.error(), "create Experiment " + to_string(key)));
  const std::string uid = (*made)["metadata"].value("uid", "");
  const auto adopted = co_await services.stores.experiments.adopt(nonce, uid, key.ns, key.name);
  DET_CO_TRY(adopted);
  co_return co_await services.stores.experiments.revive(row.id, nonce);
}

}  // namespace

Task<Result<std::vector<std::string>>> continue_experiment(ApiServices& services, model::ExperimentId id,
                                                           std::string override_yaml, Identity caller) {
  auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  std::vector<std::int64_t> ids = {id.value};
  DET_CO_TRY(co_await require_experiments(services, caller, std::move(ids), model::Permission::kUpdateExperiment));
  if ((*row)->is_unmanaged) {
    co_return fail(
        ErrorCode::kFailedPrecondition,
        "experiment " + to_string(id) + " is unmanaged: start its program again, with the same external ids, to go on");
  }
  DET_CO_TRY(model::check_task_namespace(services.settings.master.task_namespaces, (*row)->ns));
  if (!model::is_terminal((*row)->state)) {
    co_return refuse("experiment in non terminal state '" + std::string(to_string((*row)->state)) +
                     "', try again later");
  }
  auto reading = [&override_yaml] { return read_override(override_yaml); };
  const auto over = co_await run_guarded(services.workers, std::move(reading));
  DET_CO_TRY(over);
  if (!over->empty() && !is_admin(caller) && (*row)->owner != caller.user.id) {
    co_return fail(ErrorCode::kPermissionDenied,
                   "only its owner and admins can continue an experiment with another configuration: it would run with "
                   "the owner's token; fork it instead");
  }
  DET_CO_TRY(co_await require_warm_start(services, caller, *over));
  const auto trials = co_await services.stores.trials.of_experiment(id);
  DET_CO_TRY(trials);
  DET_CO_TRY(check_search((*row)->config, *trials, !over->empty()));
  const wire::Json& searcher = get_any(get_any(*over, "searcher"), "name");
  if (!searcher.is_null() && searcher != get_any(get_any((*row)->config, "searcher"), "name")) {
    co_return refuse("overrideConfig.searcher.name: the searcher cannot be changed when an experiment is continued",
                     "searcher.name");
  }
  const wire::Json changed = changed_since(**row);
  wire::Json frozen = (*row)->config;
  frozen.merge_patch(changed);
  accept::Submission submission{.ns = (*row)->ns,
                                .config = *over,
                                .frozen = std::move(frozen),
                                .project = (*row)->project,
                                .code = (*row)->context};
  std::optional<Turns::Turn> turn(co_await services.gate_turns.wait("user " + to_string(caller.user.id)));
  auto verdict = co_await services.gate.accept(pod_settings(services.settings), std::move(submission));
  turn.reset();
  DET_CO_TRY(verdict);
  if (auto* objection = std::get_if<accept::Objection>(&*verdict)) co_return std::unexpected(error_of(*objection));
  auto& accepted = std::get<accept::Accepted>(*verdict).config;
  auto parsing = [&row] { return parse_yaml((*row)->original_config); };
  auto original = co_await run_guarded(services.workers, std::move(parsing));
  if (!original) co_return std::unexpected(with_context(original.error(), "the experiment's own configuration"));
  if (original->is_object()) original->merge_patch(changed);
  wire::Json written = model::hide_secrets(model::lay_over(*over, *original));  // what people read of it

  std::vector<std::string> warnings = std::move(accepted.warnings);
  store::ContinuedExperiment change{.nonce = uuid_v4(),
                                    .config = std::move(accepted.document),
                                    .original_config = written.dump(),
                                    .config_hash = std::move(accepted.hash)};
  const Status done = co_await replace(services, std::move(**row), std::move(change), std::move(written));
  services.trial_memory.forget(id);
  DET_CO_TRY(done);
  co_return warnings;
}

}  // namespace det::api
