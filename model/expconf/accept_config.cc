#include "model/expconf/accept_config.h"

#include <algorithm>
#include <utility>

#include "base/json_get.h"
#include "model/cluster/cluster_defaults.h"
#include "model/expconf/accept_checks.h"
#include "model/expconf/config_warnings.h"
#include "model/expconf/explain_errors.h"
#include "model/expconf/schema_catalogue.h"
#include "model/expconf/sections.h"
#include "model/pod/pod_policy_check.h"
#include "model/slots.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr int kDefaultPreemptionTimeout = 3600;

std::int64_t slots_of(const json& config) {
  return whole_number(get_any(get_any(config, "resources"), "slots_per_trial")).value_or(1);
}

std::string pool_named(const json& config) {
  return get_string(get_any(config, "resources"), "resource_pool");
}

std::string pool_of(const json& config, const MasterConfig& master) {
  return pool_or_default(pool_named(config), slots_of(config), master);
}

// Only this version, which says nothing, was ever released.
std::int64_t version_of(const json& user) {
  return user.is_object() ? whole_number(user.value("version", json())).value_or(0) : 0;
}

void set_where_null(json& slot, json value) {
  if (slot.is_null()) slot = std::move(value);
}

// The defaults that depend on when and where.
void apply_context(json& document, const AcceptContext& context) {
  apply_runtime_defaults(document, {.name_seed = context.name_seed, .experiment_seed = context.default_seed});
  set_where_null(document["resources"]["priority"], context.allowed_default_priority());
  set_where_null(document["preemption_timeout"], kDefaultPreemptionTimeout);
}

void check_workspace_and_project(const json& document, FieldErrors& errors) {
  const bool has_workspace = document["workspace"] != "";
  const bool has_project = document["project"] != "";
  if (has_workspace != has_project) {
    add_field_error(errors, "",
                    std::string("workspace and project must both be included in config if one is provided; add ") +
                        (has_workspace ? "project: NAME" : "workspace: NAME"));
  }
}

void check_slots(const json& document, const AcceptContext& context, FieldErrors& errors) {
  std::optional<int> most = context.max_per_pod;
  if (context.master != nullptr) most = slot_rule(pool_of(document, *context.master), *context.master).max_per_pod;
  if (!most) return;
  const bool single = document["resources"]["is_single_node"] == true;
  const auto shape = gang_shape(slots_of(document), *most, single);
  if (!shape) add_field_error(errors, "resources.slots_per_trial", shape.error().message);
}

// resources.slots is the word of notebooks and commands; for an experiment it would be silently ignored.
void refuse_slots_of_commands(const json& user, FieldErrors& errors) {
  if (!user.is_object()) return;
  const auto resources = user.find("resources");
  if (resources == user.end() || !resources->is_object()) return;
  const auto slots = resources->find("slots");
  if (slots == resources->end() || slots->is_null()) return;
  add_field_error(errors, "resources", R"(additionalProperties "slots" not allowed)");
}

void check_entrypoint_is_there(const json& document, FieldErrors& errors) {
  const json& entrypoint = get_any(document, "entrypoint");
  if (entrypoint.is_null() || entrypoint.empty() || entrypoint == "") {
    add_field_error(errors, "entrypoint", "managed experiments require entrypoint");
  }
}

bool policies_have(const ConfigPolicies* policies, const char* field) {
  if (policies == nullptr) return false;
  return !get_any(policies->workspace.invariant_config, field).is_null() ||
         !get_any(policies->global.invariant_config, field).is_null();
}

// What people wrote: the configuration, its template and what the workspace's owner put under both.
json people_layer(const json& user, const AcceptContext& context) {
  json document = user;
  normalise(kExperimentSchema, document);
  if (!context.template_config.is_null()) document = lay_over(std::move(document), context.template_config);
  if (context.workspace_storage.is_null()) return document;
  return lay_over(std::move(document), {{"checkpoint_storage", context.workspace_storage}});
}

// `document` with what an administrator fixed over it; `invariant` may be null.
json fix(const json& invariant, json document) {
  if (invariant.is_null()) return document;
  return lay_over(invariant, std::move(document));
}

// They were right when they were written; an upgrade may see that differently.
FieldErrors check_policies(const ConfigPolicies& policies) {
  for (const auto& [scope, policy] : {std::pair{"workspace", &policies.workspace}, {"global", &policies.global}}) {
    if (policy->invariant_config.is_null()) continue;
    const FieldErrors broken = check_partial_config(policy->invariant_config);
    if (broken.empty()) continue;
    return one_error(
        "", "the " + std::string(scope) + " config policy is invalid: " + join_errors(broken, "<invariant_config>"));
  }
  return {};
}

// What only the cluster that it is to run in can object to. A workspace's policy may use of it what people may, because
// its owner, who need not be an administrator, writes it.
FieldErrors check_cluster(json people, json layer, const ConfigPolicies& policies, const AcceptContext& context) {
  FieldErrors errors;
  if (context.master == nullptr) return errors;
  people = fix(policies.workspace.invariant_config, std::move(people));
  layer = fix(policies.global.invariant_config, std::move(layer));
  const std::string pool = pool_of(fix(policies.global.invariant_config, people), *context.master);
  if (context.is_unmanaged) people.erase("checkpoint_storage");
  check_pool(pool, *context.master, errors);
  for (Error& error : check_pod_policy(people, layer, context.master->pod_policies.of(context.ns, pool))) {
    errors.push_back(std::move(error));
  }
  return errors;
}

// The whole, after every layer has said its part.
FieldErrors finish_document(json& document, const AcceptContext& context) {
  FieldErrors errors;
  // What a layer said about a union without naming its kind can be read only now.
  validate(kExperimentSchema, document, "", errors, Rules::kRunnable);
  if (!errors.empty()) return errors;
  normalise(kExperimentSchema, document);
  fill(kExperimentSchema, document, Fill::kDefaults);
  apply_context(document, context);
  check_complete(kExperimentSchema, document, "", errors);
  check_current_searcher(document["searcher"], "searcher", errors);
  check_workspace_and_project(document, errors);
  if (!context.is_unmanaged) check_entrypoint_is_there(document, errors);
  check_slots(document, context, errors);
  return errors;
}

// Of a part, whether it fits together is looked at when it is whole.
FieldErrors check_shape(const json& config, bool is_part) {
  FieldErrors errors = check_form(config);
  if (!errors.empty()) return errors;
  validate(is_part ? kExperimentPartSchema : kExperimentSchema, config, "", errors, Rules::kRunnable);
  return errors;
}

std::expected<AcceptedConfig, FieldErrors> check_and_complete(const json& user, const json& cluster_defaults,
                                                              const AcceptContext& context) {
  // Of another version every other complaint would be beside the point.
  if (const auto version = version_of(user); version != 0) {
    return std::unexpected(one_error("version", "invalid version: " + std::to_string(version)));
  }
  const bool has_template = !context.template_config.is_null();
  FieldErrors wrong = check_shape(user, has_template);
  refuse_slots_of_commands(user, wrong);
  if (!wrong.empty()) {
    // The rest is looked at when it is whole; that nothing says what runs can be told along with what is wrong.
    if (!has_template && !context.is_unmanaged && user.is_object() && !policies_have(context.policies, "entrypoint")) {
      check_entrypoint_is_there(user, wrong);
    }
    return std::unexpected(std::move(wrong));
  }
  if (const FieldErrors broken = check_cluster_defaults(cluster_defaults); !broken.empty()) {
    return std::unexpected(one_error("", "the cluster's defaults are invalid: " + join_errors(broken, "master.yaml")));
  }
  if (has_template) {
    const FieldErrors broken = check_partial_config(context.template_config);
    if (!broken.empty()) {
      return std::unexpected(
          one_error("", "template '" + context.template_name + "' is invalid: " + join_errors(broken, "<template>")));
    }
  }
  if (!context.workspace_storage.is_null()) {
    const FieldErrors broken = check_partial_config({{"checkpoint_storage", context.workspace_storage}});
    if (!broken.empty()) {
      return std::unexpected(
          one_error("", "the workspace's checkpoint storage is invalid: " + join_errors(broken, "<workspace>")));
    }
  }
  const ConfigPolicies policies = context.policies == nullptr ? ConfigPolicies() : *context.policies;
  if (FieldErrors broken = check_policies(policies); !broken.empty()) return std::unexpected(std::move(broken));
  const auto fix_all = [&policies](json config) {
    return fix(policies.global.invariant_config, fix(policies.workspace.invariant_config, std::move(config)));
  };
  const json people = people_layer(user, context);
  const json wanted = fix_all(people);
  const json layer = cluster_layer(cluster_defaults, slots_of(wanted), pool_named(wanted));
  json document = fix_all(merge(kExperimentSchema, people, layer));
  FieldErrors errors = finish_document(document, context);
  // Named from now on: another default pool moves nothing that was accepted.
  if (context.master != nullptr && errors.empty()) {
    document["resources"]["resource_pool"] = pool_of(document, *context.master);
  }
  for (Error& error : check_cluster(people, layer, policies, context)) errors.push_back(std::move(error));
  if (!errors.empty()) return std::unexpected(std::move(errors));
  auto config = read_experiment_config(document);
  if (!config) return std::unexpected(FieldErrors{config.error()});
  std::string hash = config_hash(document);
  auto warnings = config_warnings(user, context.template_config, document);
  return AcceptedConfig{.config = *std::move(config),
                        .document = std::move(document),
                        .hash = std::move(hash),
                        .warnings = std::move(warnings)};
}

}  // namespace

std::int64_t AcceptContext::allowed_default_priority() const {
  const auto limit = policies == nullptr ? std::nullopt : policies->constraints().priority_limit;
  return std::min<std::int64_t>(default_priority, limit.value_or(default_priority));
}

std::expected<AcceptedConfig, FieldErrors> accept_config(const json& user, const json& cluster_defaults,
                                                         const AcceptContext& context) {
  auto accepted = check_and_complete(user, cluster_defaults, context);
  if (!accepted) explain_errors(accepted.error(), user, kExperimentSchema);
  return accepted;
}

std::optional<ProjectName> named_project(const json& user, const json& template_config) {
  const auto text = [&](const char* field) -> std::string {
    for (const json* config : {&user, &template_config}) {
      const auto found = config->is_object() ? config->find(field) : config->end();
      if (found != config->end() && found->is_string()) return found->get<std::string>();
    }
    return {};
  };
  ProjectName name{.workspace = text("workspace"), .project = text("project")};
  if (name.workspace.empty() || name.project.empty()) return std::nullopt;
  return name;
}

json lay_over(json above, json below) {
  normalise(kExperimentSchema, above);
  normalise(kExperimentSchema, below);
  return merge(kExperimentSchema, above, below);
}

FieldErrors check_partial_config(const json& config) {
  FieldErrors errors = check_shape(config, true);
  explain_errors(errors, config, kExperimentPartSchema);
  return errors;
}

}  // namespace det::model
