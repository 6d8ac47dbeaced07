#include "api/experiments/experiment_create.h"

#include <random>

#include "accept/gate.h"
#include "accept/model_code.h"
#include "api/access_check.h"
#include "api/authorize.h"
#include "api/experiments/context_pack.h"
#include "api/experiments/experiment_object.h"
#include "api/experiments/pod_settings.h"
#include "api/experiments/verbs.h"
#include "api/experiments/warm_start_access.h"
#include "api/object_creation.h"
#include "api/views.h"
#include "base/encoding.h"
#include "base/guarded_work.h"
#include "base/log.h"
#include "base/yaml.h"
#include "base/yaml_lines.h"
#include "model/expconf/secret_fields.h"
#include "wire/request_fields.h"

namespace det::api {

namespace {

// What is known before anything is written.
struct Draft {
  std::string ns;           // of its object
  wire::Json shown_config;  // as the object has it: without secrets
  std::string shown_text;   // as it was written, without secrets
  model::AcceptedConfig accepted;
  std::string nonce;
  store::ContextRef context;  // no kind: no model code
};

// An Experiment object could not hold more.
constexpr std::size_t kLongestConfig = std::size_t{1} << 20;

Result<wire::Json> read_config(const std::string& yaml) {
  if (yaml.size() > kLongestConfig) {
    return fail(ErrorCode::kInvalidArgument, "invalid experiment configuration: longer than 1 MiB", "config");
  }
  auto config = parse_yaml(yaml);
  if (!config) return std::unexpected(with_context(config.error(), "invalid experiment configuration"));
  if (!config->is_object()) {
    return fail(ErrorCode::kInvalidArgument,
                "invalid experiment configuration: expected a mapping, got " + std::string(config->type_name()));
  }
  return config;
}

// The first error, and what would work.
Error with_remedy(accept::Objection objection) {
  Error error = std::move(objection.errors.front());
  if (!objection.remedy.empty()) error.message += "; " + objection.remedy;
  return error;
}

// What the gate says, as REST answers it.
Error error_of(accept::Objection objection, const CreateRequest& request) {
  switch (objection.part) {
    case accept::Part::kTemplate:
      objection.errors.front().field = "template";
      return with_remedy(std::move(objection));
    case accept::Part::kContext:
      return with_context(joined_error(objection.errors, "context"),
                          request.parent && request.context.empty() ? "the parent's model code" : "the model code");
    case accept::Part::kPod:
    case accept::Part::kWorkspace:
    case accept::Part::kTensorBoard:
      return std::move(objection.errors.front());
    case accept::Part::kConfig:
      break;
  }
  using accept::RefusalReason;
  if (objection.reason == RefusalReason::kConfigPolicy || objection.reason == RefusalReason::kProjectNotFound ||
      objection.reason == RefusalReason::kProjectArchived) {
    return with_remedy(std::move(objection));
  }
  add_lines(objection.errors, request.config_yaml);
  return with_context(joined_error(objection.errors), "invalid experiment configuration");
}

// Another way than REST's own would be an error of ours; what the user wrote is a 400.
Error refused_by_kubernetes(Error error) {
  if (error.code == ErrorCode::kNotFound || error.code == ErrorCode::kPermissionDenied) {
    error.code = ErrorCode::kFailedPrecondition;
  }
  return with_context(std::move(error), "Kubernetes refused the Experiment object");
}

ObjectToMake experiment_to_make() {
  return {.resource = k8s::experiments(), .refused = refused_by_kubernetes};
}

wire::Json object_of(const ApiServices& services, const CreateRequest& request, const Draft& draft, std::string name) {
  return build_experiment({.name = std::move(name),
                           .ns = draft.ns,
                           .nonce = draft.nonce,
                           .controller_class = services.settings.controller_class,
                           .config = draft.shown_config,
                           .template_name = request.template_name,
                           .context_sha256 = draft.context.sha256,
                           .suspend = !request.activate});
}

store::NewExperiment row_of(const CreateRequest& request, const Draft& draft, model::UserId owner) {
  const model::AcceptedConfig& accepted = draft.accepted;
  store::NewExperiment row;
  row.nonce = draft.nonce;
  row.ns = draft.ns;
  row.owner = owner;
  if (request.project) row.project = *request.project;
  row.parent = request.parent;
  row.state = request.activate ? model::ExperimentState::kActive : model::ExperimentState::kPaused;
  row.config = accepted.document;
  row.original_config = draft.shown_text;
  row.config_hash = accepted.hash;
  row.title = accepted.config.name;
  row.description = accepted.config.description;
  row.labels = accepted.config.labels;
  row.context = draft.context;
  return row;
}

struct GivenConfig {
  wire::Json config;
  wire::Json shown;  // to people
  std::string shown_text;
  std::vector<std::string> warnings;
};

store::ContextRef uploaded(const PackedFiles& context) {
  if (context.empty()) return {};
  return {.kind = "stored", .sha256 = context.sha256};
}

// What it is made of must be the caller's to look at.
Task<Status> check_what_is_read(ApiServices& services, const CreateRequest& request, Identity caller) {
  if (request.project) {
    DET_CO_TRY(co_await require_project(services, caller, *request.project, model::Permission::kCreateExperiment));
  }
  std::vector<std::int64_t> parents;
  if (request.parent) parents.push_back(request.parent->value);
  DET_CO_TRY(
      co_await require_experiments(services, caller, std::move(parents), model::Permission::kViewExperimentMetadata));
  co_return co_await require_template(services, std::move(caller), request.template_name);
}

Task<Status> check_parents(ApiServices& services, const CreateRequest& request, store::ContextRef* context) {
  if (!request.parent) co_return Status();
  auto parent = co_await services.stores.experiments.find(*request.parent);
  DET_CO_TRY(parent);
  if (!*parent) {
    co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(*request.parent) + "' not found", "parentId");
  }
  const auto place = co_await services.stores.workspaces.place((*parent)->project);
  DET_CO_TRY(place);
  if (place->is_project_archived || place->is_workspace_archived) {
    co_return fail(ErrorCode::kFailedPrecondition, "forking an experiment in an archived workspace/project",
                   "parentId");
  }
  if (request.context.empty()) *context = accept::inherited_code((*parent)->context);
  co_return Status();
}

constexpr std::size_t kShortNonce = 8;

// Row, then object; the row goes again when the object cannot be.
Task<Result<model::ExperimentId>> write_experiment(ApiServices& services, CreateRequest request, Draft draft,
                                                   model::UserId owner) {
  auto row = co_await services.stores.experiments.insert(row_of(request, draft, owner));
  if (!row) {
    if (row.error().code == ErrorCode::kFailedPrecondition && request.project) {
      co_return fail(ErrorCode::kNotFound, "project '" + to_string(*request.project) + "' not found", "projectId");
    }
    co_return std::unexpected(row.error());
  }
  std::string name = experiment_object_name(row->id);
  const auto make = [&] {
    return make_object(services, experiment_to_make(), object_of(services, request, draft, name), name, draft.nonce);
  };
  auto made = co_await make();
  if (!made && made.error().code == ErrorCode::kAlreadyExists) {
    // People name their objects as they like; and a database that was restored gives its numbers out again.
    name += "-" + draft.nonce.substr(0, kShortNonce);
    made = co_await make();
  }
  if (!made) {
    const Status gone = co_await services.stores.experiments.discard(draft.nonce);
    if (!gone) {
      const Logger log("api");
      log.warn("the row of an experiment without an object stayed", {{"experiment", row->id.value}});
    }
    co_return std::unexpected(made.error());
  }
  const std::string uid = (*made)["metadata"].value("uid", "");
  // The reconciler adopts the row too: when this fails, it is only later.
  const auto adopted = co_await services.stores.experiments.adopt(draft.nonce, uid, draft.ns, name);
  if (!adopted) {
    const Logger log("api");
    log.info("a new experiment was left for the reconciler to adopt", {{"experiment", row->id.value}});
  }
  co_return row->id;
}

// The row is all there is of it.
Task<Result<model::ExperimentId>> write_unmanaged(ApiServices& services, CreateRequest request, Draft draft,
                                                  Identity caller) {
  store::NewExperiment wanted = row_of(request, draft, caller.user.id);
  wanted.state = model::ExperimentState::kPaused;  // no trial of it runs yet
  wanted.is_unmanaged = true;
  wanted.external_id = request.external_id;
  const auto row = co_await services.stores.experiments.insert(wanted);
  DET_CO_TRY(row);
  if (row->nonce == draft.nonce) co_return row->id;
  const Status may = co_await check_reporter(services, std::move(caller), row->id);
  if (!may && (may.error().code == ErrorCode::kPermissionDenied || may.error().code == ErrorCode::kNotFound)) {
    co_return fail(
        ErrorCode::kPermissionDenied,
        "the external id '" + request.external_id + "' belongs to an experiment of somebody else: choose another id",
        "externalExperimentId");
  }
  DET_CO_TRY(may);
  if (row->state == model::ExperimentState::kDeleting) {
    co_return fail(ErrorCode::kFailedPrecondition, "experiment " + to_string(row->id) + " is being deleted");
  }
  DET_CO_TRY(co_await services.stores.unmanaged.replace_config(
      row->id, std::move(wanted.config), std::move(wanted.original_config), std::move(wanted.config_hash)));
  co_return row->id;
}

}  // namespace

Result<CreateRequest> read_create_request(std::string_view body) {
  auto json = wire::parse_body(body);
  DET_TRY(json);
  wire::RequestFields fields(*json);
  CreateRequest request;
  request.config_yaml = fields.string("config").value_or("");
  request.activate = fields.boolean("activate").value_or(false);
  request.validate_only = fields.boolean("validateOnly").value_or(false);
  request.template_name = fields.string("template").value_or(fields.string("templateName").value_or(""));
  if (const auto project = fields.integer("projectId"); project && *project != 0) {
    request.project = model::ProjectId{*project};
  }
  if (const auto parent = fields.integer("parentId"); parent && *parent != 0) {
    request.parent = model::ExperimentId{*parent};
  }
  request.is_unmanaged = fields.boolean("unmanaged").value_or(false);
  DET_TRY(fields.status());
  if (request.is_unmanaged && request.parent) {
    return fail(ErrorCode::kInvalidArgument, "can't fork into an unmanaged experiment", "parentId");
  }
  auto context = pack_files(fields, "modelDefinition");
  DET_TRY(context);
  request.context = std::move(*context);
  return request;
}

Task<Result<CreatedExperiment>> create_experiment(ApiServices& services, CreateRequest request, Identity caller) {
  const model::UserId owner = caller.user.id;
  const Settings& settings = services.settings;
  // All on the pool: a configuration of 1 MiB takes long to read and to copy.
  auto reading = [&request]() -> Result<GivenConfig> {
    auto config = read_config(request.config_yaml);
    DET_TRY(config);
    GivenConfig given{.config = {},
                      .shown = {},
                      .shown_text = hide_secrets_in(request.config_yaml),
                      .warnings = model::mask_warnings(*config)};
    given.config = model::drop_masks(std::move(*config));
    given.shown = model::hide_secrets(given.config);
    return given;
  };
  auto user_config = co_await run_guarded(services.workers, std::move(reading));
  DET_CO_TRY(user_config);
  store::ContextRef context = uploaded(request.context);
  DET_CO_TRY(co_await check_what_is_read(services, request, caller));
  DET_CO_TRY(co_await check_parents(services, request, &context));
  accept::Submission submission{.ns = settings.ns,
                                .by_server = true,
                                .config = std::move(user_config->config),
                                .template_name = request.template_name,
                                .project = request.project,
                                .code = std::move(context),
                                .name_seed = std::random_device()(),
                                .is_unmanaged = request.is_unmanaged};
  // Until the API server has been asked all that it is asked.
  std::optional<Turns::Turn> turn(co_await services.gate_turns.wait("user " + to_string(owner)));
  auto verdict = co_await services.gate.accept(pod_settings(settings), std::move(submission));
  DET_CO_TRY(verdict);
  if (auto* objection = std::get_if<accept::Objection>(&*verdict)) {
    auto telling = [objection, &request] { return error_of(std::move(*objection), request); };
    co_return std::unexpected(co_await run_guarded(services.workers, std::move(telling)));
  }
  auto& accepted = std::get<accept::Accepted>(*verdict);
  DET_CO_TRY(co_await require_project(services, caller, accepted.project, model::Permission::kCreateExperiment));
  DET_CO_TRY(co_await require_warm_start(services, caller, accepted.config.document));
  if (accepted.project != store::NewExperiment().project) request.project = accepted.project;
  Draft draft{.ns = std::move(accepted.ns),
              .shown_config = std::move(user_config->shown),
              .shown_text = std::move(user_config->shown_text),
              .accepted = std::move(accepted.config),
              .nonce = uuid_v4(),
              .context = std::move(accepted.code)};
  if (!request.is_unmanaged)
    DET_CO_TRY(
        co_await try_object(services, experiment_to_make(), object_of(services, request, draft, "exp-" + draft.nonce)));
  turn.reset();

  CreatedExperiment created{.id = {}, .config = draft.accepted.document, .warnings = std::move(user_config->warnings)};
  const auto& others = draft.accepted.warnings;
  created.warnings.insert(created.warnings.end(), others.begin(), others.end());
  if (request.validate_only) co_return created;
  if (!request.context.empty()) {
    DET_CO_TRY(co_await services.stores.contexts.put(draft.context.sha256, std::move(request.context.archive)));
  }
  const bool searches = !request.is_unmanaged;
  auto id = request.is_unmanaged
                ? co_await write_unmanaged(services, std::move(request), std::move(draft), std::move(caller))
                : co_await write_experiment(services, std::move(request), std::move(draft), owner);
  DET_CO_TRY(id);
  created.id = *id;
  if (searches) co_await wait_for_first_trial(services, *id);
  co_return created;
}

}  // namespace det::api
