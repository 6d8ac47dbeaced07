#include "operator/acceptor.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/tgz.h"
#include "model/accept_config.h"
#include "operator/code_source.h"
#include "operator/json_view.h"
#include "operator/names.h"
#include "operator/stored_pod.h"
#include "searcher/make_search.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxArchive = 150 * 1024;
constexpr std::uint64_t kMaxUnpacked = 95ull << 20;  // what an upload may hold, too

Objection objection(std::string reason, std::string message) {
  return {.reason = std::move(reason), .message = std::move(message), .may_pass = false};
}

std::uint32_t unix_seconds(WallTime time) {
  return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

}  // namespace

Task<Result<std::variant<store::ExperimentRow, Objection>>> Acceptor::accept(ExperimentView object, Logger log) {
  using Answer = std::variant<store::ExperimentRow, Objection>;
  const Stores& stores = services_.stores;
  if (!object.nonce.empty()) {
    auto adopted = co_await stores.experiments.adopt(object.nonce, object.uid, object.key.ns, object.key.name);
    if (adopted) co_return Answer(std::move(*adopted));
    // A copy of an object that REST made, applied by hand: its nonce means nothing here, the object is a new
    // experiment.
    const auto code = adopted.error().code;
    if (code != ErrorCode::kNotFound && code != ErrorCode::kFailedPrecondition) {
      co_return std::unexpected(std::move(adopted).error());
    }
  }
  const model::MasterConfig& master = services_.settings.master;
  model::AcceptContext context;
  // From the uid, so that a repeated acceptance chooses the same name.
  context.name_seed = std::hash<std::string>()(object.uid);
  context.default_seed = unix_seconds(services_.clock.wall_now());
  context.master = &master;
  context.ns = object.key.ns;
  store::NewExperiment row;
  if (!object.template_name.empty()) {
    auto found = co_await stores.templates.find(object.template_name);
    if (!found) co_return std::unexpected(std::move(found).error());
    if (!*found) {
      Objection missing = objection("TemplateNotFound", "spec.template: template '" + object.template_name +
                                                            "' not found; create it with `det template create`, the "
                                                            "experiment then starts");
      missing.may_pass = true;
      co_return Answer(std::move(missing));
    }
    context.template_name = object.template_name;
    context.template_config = std::move((**found).config);
  }
  if (const auto name = model::named_project(object.config, context.template_config)) {
    auto project = co_await stores.workspaces.project_named(name->workspace, name->project);
    if (!project && project.error().code == ErrorCode::kNotFound) {
      Objection missing = objection("ProjectNotFound", "spec.config: " + project.error().message +
                                                           "; leave out `workspace` and `project` for Uncategorized");
      missing.may_pass = true;
      co_return Answer(std::move(missing));
    }
    if (!project) co_return std::unexpected(std::move(project).error());
    row.project = *project;
  }
  auto policies = co_await stores.config_policies.of_project(row.project, model::WorkloadType::kExperiment);
  if (!policies) co_return std::unexpected(std::move(policies).error());
  context.policies = &*policies;
  auto accepted = model::accept_config(object.config, model::cluster_defaults(master), context);
  if (!accepted) {
    Objection wrong = objection("InvalidConfig", join_errors(accepted.error(), "spec.config"));
    // The pool may be on its way, in the same `kubectl apply` even.
    const auto is_pool = [](const Error& error) { return error.field == model::kPoolField; };
    wrong.may_pass = std::ranges::all_of(accepted.error(), is_pool);
    if (wrong.may_pass) wrong.reason = "ResourcePoolNotFound";
    co_return Answer(std::move(wrong));
  }
  const json& space = value_at(accepted->document, "hyperparameters");
  const auto& search = accepted->config.searcher;
  if (Status runs = searcher::check_search(search, space, searcher::generation_of(search)); !runs) {
    co_return Answer(objection("InvalidConfig", join_errors(std::vector{runs.error()}, "spec.config")));
  }

  // What an administrator changes can make it right: it is looked at again now and then.
  if (Status kept = model::check_constraints(*policies, accepted->document); !kept) {
    co_return Answer(objection("ConfigPolicy", "spec.config: " + kept.error().message));
  }

  std::optional<model::TrialId> source;
  if (search.source_trial_id) source = model::TrialId{*search.source_trial_id};
  auto start = co_await stores.checkpoints.warm_start(search.source_checkpoint_uuid, source);
  if (!start && start.error().code == ErrorCode::kInvalidArgument) {
    co_return Answer(objection("InvalidConfig", join_errors(std::vector{start.error()}, "spec.config")));
  }
  if (!start) co_return std::unexpected(std::move(start).error());

  const FieldErrors forbidden = refused_code_source(master, object.key.ns, accepted->document, object.context);
  if (!forbidden.empty()) co_return Answer(objection("InvalidContext", join_errors(forbidden, "spec.context")));
  auto code = co_await take_context(object);
  if (!code) co_return std::unexpected(std::move(code).error());
  if (auto* refused = std::get_if<Objection>(&*code)) co_return Answer(std::move(*refused));
  auto refused = co_await try_pod(object, accepted->document);
  if (!refused) co_return std::unexpected(std::move(refused).error());
  if (*refused) co_return Answer(std::move(**refused));
  auto owner_id = co_await owner();
  if (!owner_id) co_return std::unexpected(std::move(owner_id).error());

  row.uid = object.uid;
  row.ns = object.key.ns;
  row.name = object.key.name;
  row.owner = *owner_id;
  row.state = object.suspend ? model::ExperimentState::kPaused : model::ExperimentState::kActive;
  row.config_hash = accepted->hash;
  row.title = text_at(accepted->document, "name");
  row.description = text_at(accepted->document, "description");
  for (const json& label : list_at(accepted->document, "labels")) row.labels.push_back(label.get<std::string>());
  row.config = std::move(accepted->document);
  row.original_config = object.config.dump();
  row.context = std::get<store::ContextRef>(*code);
  auto inserted = co_await stores.experiments.insert(std::move(row));
  if (!inserted) co_return std::unexpected(with_context(std::move(inserted).error(), "insert experiment"));
  log.info("experiment accepted", {{"experiment", inserted->id.value}, {"object", to_string(object.key)}});
  co_return Answer(std::move(*inserted));
}

Task<Result<Acceptor::Verdict>> Acceptor::take_context(ExperimentView object) {
  const json& context = object.context;
  if (!context.is_object()) co_return Verdict(store::ContextRef{});
  if (context.contains("configMap")) co_return co_await take_config_map(object.key.ns, context["configMap"]);
  if (context.contains("archive")) co_return co_await take_archive(text_at(context, "archive"));
  if (context.contains("stored")) {
    const std::string sha256 = text_at(context["stored"], "sha256");
    auto exists = co_await services_.stores.contexts.exists(sha256);
    if (!exists) co_return std::unexpected(std::move(exists).error());
    if (*exists) co_return Verdict(store::ContextRef{.kind = "stored", .sha256 = sha256});
    co_return Verdict(objection("ContextNotFound", "spec.context.stored.sha256: nothing was uploaded with the digest " +
                                                       sha256 + "; upload it with `det experiment create`"));
  }
  if (is_code_source(context)) co_return co_await take_code_source(context);
  const std::string kind = context.empty() ? "nothing" : context.begin().key();
  co_return Verdict(objection("ContextNotSupported",
                              "spec.context: this version reads model code from configMap, git, pvc, "
                              "archive or stored, not from " +
                                  kind));
}

// The pod fetches it; what is kept is where from.
Task<Result<Acceptor::Verdict>> Acceptor::take_code_source(json context) {
  if (auto error = code_source_error(context)) co_return Verdict(objection("InvalidContext", std::move(*error)));
  store::ContextRef ref = code_source_ref(context);
  auto kept = co_await services_.stores.contexts.put(ref.sha256, context.dump());
  if (!kept) co_return std::unexpected(with_context(std::move(kept).error(), "keep the code's source"));
  co_return Verdict(std::move(ref));
}

Task<Result<Acceptor::Verdict>> Acceptor::take_config_map(std::string ns, json source) {
  const std::string name = text_at(source, "name");
  auto found = co_await services_.client.get(k8s::config_maps(), {.ns = ns, .name = name});
  if (!found && found.error().code == ErrorCode::kNotFound) {
    Objection missing = objection("ContextNotFound", "spec.context.configMap.name: ConfigMap " + ns + "/" + name +
                                                         " does not exist; create it, the experiment then starts");
    missing.may_pass = true;
    co_return Verdict(std::move(missing));
  }
  if (!found) co_return std::unexpected(std::move(found).error());
  const json& text = value_at(*found, "data");
  const json& binary = value_at(*found, "binaryData");
  const json& items = value_at(source, "items");
  std::vector<TarEntry> entries;
  const auto add = [&](const std::string& key, std::string content) {
    std::string path = key;
    if (items.is_object() && !items.empty()) {
      if (!items.contains(key)) return;
      path = text_at(items, key);
    }
    entries.push_back({.path = std::move(path),
                       .type = TarEntry::Type::kFile,
                       .mode = 0644,
                       .mtime = 0,
                       .content = std::move(content)});
  };
  if (text.is_object()) {
    for (const auto& [key, value] : text.items()) add(key, value.get<std::string>());
  }
  if (binary.is_object()) {
    for (const auto& [key, value] : binary.items()) {
      auto bytes = base64_decode(value.get<std::string>());
      if (bytes) add(key, std::move(*bytes));
    }
  }
  if (items.is_object()) {
    for (const auto& [key, path] : items.items()) {
      if (text.contains(key) || binary.contains(key)) continue;
      co_return Verdict(
          objection("ContextNotFound", "spec.context.configMap.items: ConfigMap " + name + " has no key " + key));
    }
  }
  auto packed = pack_tgz(entries);
  if (!packed) {
    co_return Verdict(objection("InvalidContext", "spec.context.configMap.items: " + packed.error().message));
  }
  co_return co_await keep(std::move(*packed), "configMap");
}

Task<Result<Acceptor::Verdict>> Acceptor::take_archive(std::string base64) {
  auto bytes = base64_decode(base64);
  if (!bytes)
    co_return Verdict(objection("InvalidContext", "spec.context.archive: not base64: " + bytes.error().message));
  if (bytes->size() > kMaxArchive) {
    co_return Verdict(objection("InvalidContext", "spec.context.archive: " + std::to_string(bytes->size()) +
                                                      " bytes packed; up to " + std::to_string(kMaxArchive) +
                                                      " work here, use `stored` or a configMap for more"));
  }
  auto entries = unpack_tgz(*bytes, kMaxUnpacked);
  if (!entries) co_return Verdict(objection("InvalidContext", "spec.context.archive: " + entries.error().message));
  co_return co_await keep(std::move(*bytes), "archive");
}

Task<Result<Acceptor::Verdict>> Acceptor::keep(std::string bytes, std::string kind) {
  const std::string sha256 = sha256_hex(bytes);
  auto kept = co_await services_.stores.contexts.put(sha256, std::move(bytes));
  if (!kept) co_return std::unexpected(with_context(std::move(kept).error(), "keep the model code"));
  co_return Verdict(store::ContextRef{.kind = std::move(kind), .sha256 = sha256});
}

Task<Result<std::optional<Objection>>> Acceptor::try_pod(ExperimentView object, json config) {
  GangRequest gang;
  gang.trial = {.ns = object.key.ns, .name = trial_object_name(object.key.name, model::TrialId{1})};
  gang.experiment_object = object.key.name;
  const std::int64_t slots = number_at(value_at(config, "resources"), "slots_per_trial");
  gang.slots_per_pod =
      static_cast<int>(std::min<std::int64_t>(slots, slots_of(services_.settings, config).max_per_pod));
  gang.config = std::move(config);
  json pod = build_pod(services_.settings, gang, 0);
  add_code_source(pod, object.context);
  pod["metadata"].erase("ownerReferences");  // the Trial does not exist yet
  k8s::WriteOptions options;
  options.dry_run = true;
  options.strict_fields = true;
  auto tried = co_await services_.client.create(k8s::pods(), object.key.ns, std::move(pod), options);
  if (tried || tried.error().code == ErrorCode::kAlreadyExists) co_return std::optional<Objection>();
  Objection refused =
      objection("PodRejected", "the Kubernetes API would refuse the trial's pod: " + tried.error().message);
  switch (tried.error().code) {
    case ErrorCode::kInvalidArgument:
      co_return std::optional<Objection>(std::move(refused));
    case ErrorCode::kPermissionDenied:  // a quota or a policy, which can change
      refused.may_pass = true;
      co_return std::optional<Objection>(std::move(refused));
    default:
      co_return std::unexpected(with_context(std::move(tried).error(), "dry run of the trial's pod"));
  }
}

Task<Result<model::UserId>> Acceptor::owner() {
  auto user = co_await services_.stores.users.find_by_name(default_owner_);
  if (!user) co_return std::unexpected(std::move(user).error());
  if (!*user)
    co_return fail(ErrorCode::kFailedPrecondition, "the default owner '" + default_owner_ + "' is not a user");
  co_return (**user).id;
}

}  // namespace det::op
