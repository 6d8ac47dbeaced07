#include "model/taskconf/accept_task_config.h"

#include <string_view>
#include <utility>

#include "base/duration_text.h"
#include "base/json_get.h"
#include "model/cluster/cluster_defaults.h"
#include "model/expconf/accept_checks.h"
#include "model/expconf/explain_errors.h"
#include "model/petname.h"
#include "model/pod/pod_policy_check.h"
#include "model/slots.h"
#include "model/taskconf/task_schema.h"
#include "model/taskconf/task_warnings.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr int kDefaultPreemptionTimeout = 3600;

// How a task is called that was given no name.
std::string default_description(TaskType type, std::uint64_t seed) {
  const auto named = [seed](std::string_view kind) { return std::string(kind) + " (" + petname(seed) + ")"; };
  switch (type) {
    case TaskType::kNotebook:
      return named("JupyterLab");
    case TaskType::kShell:
      return named("Shell");
    case TaskType::kCommand:
      return named("Command");
    case TaskType::kTensorBoard:
      return named("TensorBoard");
    case TaskType::kGeneric:
      return "generic-task";
    case TaskType::kCheckpointGc:
      return named("Checkpoint GC");
  }
  return {};
}

bool runs_what_it_is_given(TaskType type) {
  return type == TaskType::kCommand || type == TaskType::kGeneric;
}

bool may_have_slots(TaskType type) {
  return type != TaskType::kTensorBoard && type != TaskType::kCheckpointGc;
}

std::int64_t slots_of(TaskType type, const json& config) {
  if (!may_have_slots(type)) return 0;
  return whole_number(get_any(get_any(config, "resources"), "slots")).value_or(1);
}

std::string pool_named(const json& config) {
  return get_string(get_any(config, "resources"), "resource_pool");
}

void set_where_null(json& slot, json value) {
  if (slot.is_null()) slot = std::move(value);
}

// Upstream's texts, which its strict decoders have where ours say what a schema would.
void respell_unknown_keys(FieldErrors& errors) {
  constexpr std::string_view kOurs = "additionalProperties ";
  constexpr std::string_view kEnd = " not allowed";
  for (Error& error : errors) {
    if (!error.message.starts_with(kOurs) || !error.message.ends_with(kEnd)) continue;
    const std::size_t length = error.message.size() - kOurs.size() - kEnd.size();
    error.message = "json: unknown field " + error.message.substr(kOurs.size(), length);
  }
}

FieldErrors check_shape(const ObjectSchema& schema, const json& config) {
  FieldErrors errors = check_form(config);
  if (!errors.empty()) return errors;
  validate(schema, config, "", errors, Rules::kRunnable);
  respell_unknown_keys(errors);
  return errors;
}

// One task: its type's table and what lies over and under what people wrote.
class Acceptance {
 public:
  Acceptance(TaskType type, const json& cluster_defaults, const AcceptContext& context)
      : type_(type), schema_(task_schema(type)), defaults_(cluster_defaults), context_(context) {
    if (context.policies != nullptr) policies_ = *context.policies;
  }

  std::expected<AcceptedTaskConfig, FieldErrors> run(const json& user) {
    FieldErrors errors = check_shape(schema_, user);
    if (errors.empty()) errors = check_layers();
    if (!errors.empty()) return std::unexpected(std::move(errors));
    const json people = lay_over(user, template_);
    const json wanted = fix_all(people);
    const json layer = cluster_part(wanted);
    json document = fix_all(merge(schema_, people, layer));
    if (context_.has_files) check_work_dir_is_free(layer, document, errors);
    for (Error& error : finish(document)) errors.push_back(std::move(error));
    for (Error& error : check_cluster(people, layer)) errors.push_back(std::move(error));
    if (!errors.empty()) return std::unexpected(std::move(errors));
    auto config = read_task_config(document);
    if (!config) return std::unexpected(FieldErrors{config.error()});
    std::string hash = config_hash(document);
    return AcceptedTaskConfig{.config = *std::move(config),
                              .document = std::move(document),
                              .hash = std::move(hash),
                              .warnings = task_warnings(type_, user, template_, left_out_)};
  }

 private:
  // What others wrote: the cluster, the template, the policies.
  FieldErrors check_layers() {
    if (const FieldErrors broken = check_cluster_defaults(defaults_); !broken.empty()) {
      return one_error("", "the cluster's defaults are invalid: " + join_errors(broken, "master.yaml"));
    }
    if (!context_.template_config.is_null()) {
      FieldErrors broken = check_form(context_.template_config);
      if (broken.empty()) {
        template_ = known_part(type_, context_.template_config, left_out_);
        broken = check_shape(schema_, template_);
      }
      if (!broken.empty()) {
        return one_error("",
                         "template '" + context_.template_name + "' is invalid: " + join_errors(broken, "<template>"));
      }
    }
    for (const auto& [scope, policy] : {std::pair{"workspace", &policies_.workspace}, {"global", &policies_.global}}) {
      if (policy->invariant_config.is_null()) continue;
      const FieldErrors broken = check_shape(schema_, policy->invariant_config);
      if (broken.empty()) continue;
      return one_error(
          "", "the " + std::string(scope) + " config policy is invalid: " + join_errors(broken, "<invariant_config>"));
    }
    return {};
  }

  // Both valid; `below` may be null.
  [[nodiscard]] json lay_over(json above, json below) const {
    normalise(schema_, above);
    if (below.is_null()) return above;
    normalise(schema_, below);
    return merge(schema_, above, below);
  }

  [[nodiscard]] json fix(const json& invariant, json document) const {
    return invariant.is_null() ? document : lay_over(invariant, std::move(document));
  }

  [[nodiscard]] json fix_all(json config) const {
    return fix(policies_.global.invariant_config, fix(policies_.workspace.invariant_config, std::move(config)));
  }

  // An experiment's part has more than tasks know.
  [[nodiscard]] json cluster_part(const json& wanted) const {
    std::vector<std::string> of_trials;
    return known_part(type_, cluster_layer(defaults_, slots_of(type_, wanted), pool_named(wanted)), of_trials);
  }

  [[nodiscard]] std::string pool_of(const json& config) const {
    return pool_or_default(pool_named(config), slots_of(type_, config), *context_.master);
  }

  // Files lie in the folder of the harness; of another one only the cluster may have spoken.
  static void check_work_dir_is_free(const json& layer, json& document, FieldErrors& errors) {
    if (get_string(document, "work_dir") != get_string(layer, "work_dir")) {
      add_field_error(errors, "work_dir", "cannot set work_dir and context directory at the same time");
    }
    document["work_dir"] = nullptr;
  }

  FieldErrors finish(json& document) const {
    FieldErrors errors = check_shape(schema_, document);
    if (!errors.empty()) return errors;
    normalise(schema_, document);
    fill(schema_, document, Fill::kDefaults);
    apply_type(document);
    set_where_null(document["resources"]["priority"], context_.allowed_default_priority());
    // A command may run its startup hooks alone: Determined's master takes it, and scripts rely on that.
    if (type_ == TaskType::kGeneric && document["entrypoint"].empty()) {
      add_field_error(errors, "entrypoint", "entrypoint must be non-empty");
    }
    check_default_port(document, errors);
    check_slots(document, errors);
    if (context_.master != nullptr && errors.empty()) document["resources"]["resource_pool"] = pool_of(document);
    return errors;
  }

  void apply_type(json& document) const {
    if (get_string(document, "description").empty()) {
      document["description"] = default_description(type_, context_.name_seed);
    }
    if (!runs_what_it_is_given(type_)) document["entrypoint"] = json::array();
    document["resources"]["slots"] = slots_of(type_, document);
    if (type_ == TaskType::kGeneric) set_where_null(document["preemption_timeout"], kDefaultPreemptionTimeout);
    const MasterConfig standard;
    const MasterConfig& master = context_.master == nullptr ? standard : *context_.master;
    if (type_ == TaskType::kTensorBoard) {
      set_where_null(document["idle_timeout"], duration_text(master.tensorboard_timeout));
    } else if (type_ == TaskType::kNotebook && master.notebook_timeout) {
      set_where_null(document["idle_timeout"], duration_text(*master.notebook_timeout));
    }
  }

  // The page of a notebook or a TensorBoard and the shell's own port have the address without a number.
  void check_default_port(const json& document, FieldErrors& errors) const {
    if (runs_what_it_is_given(type_)) return;
    const json& ports = get_array(get_any(document, "environment"), "proxy_ports");
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (!get_bool(ports[i], "default_service_id")) continue;
      add_field_error(errors, child_path(item_path("environment.proxy_ports", i), "default_service_id"),
                      "the default service of this kind of task is its own");
    }
  }

  void check_slots(const json& document, FieldErrors& errors) const {
    std::optional<int> most = context_.max_per_pod;
    if (context_.master != nullptr) most = slot_rule(pool_of(document), *context_.master).max_per_pod;
    if (!most) return;
    const bool is_single = type_ != TaskType::kGeneric || get_bool(get_any(document, "resources"), "is_single_node");
    const auto shape = gang_shape(slots_of(type_, document), *most, is_single);
    if (!shape) add_field_error(errors, "resources.slots", shape.error().message);
  }

  // What only the cluster that it is to run in can object to; a workspace's policy may use of it what people may.
  [[nodiscard]] FieldErrors check_cluster(json people, json layer) const {
    FieldErrors errors;
    if (context_.master == nullptr) return errors;
    people = fix(policies_.workspace.invariant_config, std::move(people));
    layer = fix(policies_.global.invariant_config, std::move(layer));
    const std::string pool = pool_of(fix(policies_.global.invariant_config, people));
    check_pool(pool, *context_.master, errors);
    for (Error& error : check_pod_policy(people, layer, context_.master->pod_policies.of(context_.ns, pool))) {
      errors.push_back(std::move(error));
    }
    return errors;
  }

  TaskType type_;
  const ObjectSchema& schema_;
  const json& defaults_;
  const AcceptContext& context_;
  ConfigPolicies policies_;
  json template_;                      // what counts of it; null: there is none
  std::vector<std::string> left_out_;  // what does not
};

}  // namespace

std::expected<AcceptedTaskConfig, FieldErrors> accept_task_config(TaskType type, const json& user,
                                                                  const json& cluster_defaults,
                                                                  const AcceptContext& context) {
  const json nothing = json::object();
  const json& written = user.is_null() ? nothing : user;
  auto accepted = Acceptance(type, cluster_defaults, context).run(written);
  if (!accepted) explain_errors(accepted.error(), written, task_schema(type));
  return accepted;
}

}  // namespace det::model
