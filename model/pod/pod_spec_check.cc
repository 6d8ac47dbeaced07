#include "model/pod/pod_spec_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "model/pod/pod_allowed_fields.h"
#include "model/pod/pod_fields.h"

namespace det::model {
namespace {

using nlohmann::json;

// What the operator sets itself. Upstream's own check knows only the first spelling, which Kubernetes does not have.
struct Forbidden {
  std::string_view snake;
  std::string_view camel;
  std::string_view text;
};
constexpr std::array<Forbidden, 2> kPodForbidden = {{
    {"name", "name", "pod Name is not a configurable option"},
    {"name_space", "namespace", "pod NameSpace is not a configurable option"},
}};
// A securityContext may be given (camelCase): all of it but the user and group is used.
constexpr std::array<Forbidden, 13> kMainForbidden = {{
    {"image", "image", "container Image is not configurable, set it in the experiment config"},
    {"command", "command", "container Command is not configurable"},
    {"args", "args", "container Args are not configurable"},
    {"working_dir", "workingDir", "container WorkingDir is not configurable"},
    {"ports", "ports", "container Ports are not configurable"},
    {"liveness_probe", "livenessProbe", "container LivenessProbe is not configurable"},
    {"readiness_probe", "readinessProbe", "container ReadinessProbe is not configurable"},
    {"startup_probe", "startupProbe", "container StartupProbe is not configurable"},
    {"lifecycle", "lifecycle", "container Lifecycle is not configurable"},
    {"termination_message_path", "terminationMessagePath", "container TerminationMessagePath is not configurable"},
    {"termination_message_policy", "terminationMessagePolicy",
     "container TerminationMessagePolicy is not configurable"},
    {"image_pull_policy", "imagePullPolicy",
     "container ImagePullPolicy is not configurable, set it in the experiment config"},
    {"security_context", "security_context",
     "container SecurityContext is not configurable, set it in the experiment config"},
}};

bool is_set(const json& value, std::string_view key) {
  const auto it = value.find(key);
  return it != value.end() && !it->is_null();
}

void check_forbidden(const json& value, std::span<const Forbidden> forbidden, std::string_view path,
                     FieldErrors& errors) {
  for (const Forbidden& rule : forbidden) {
    if (is_set(value, rule.snake)) add_field_error(errors, path, std::string(rule.text));
  }
}

// Reports what is forbidden in its right spelling, and takes it out in both, so that it is not reported again as
// unknown or of a wrong type.
json without_forbidden(json value, std::span<const Forbidden> forbidden, std::string_view path, FieldErrors& errors) {
  for (const Forbidden& rule : forbidden) {
    if (!is_set(value, rule.snake) && is_set(value, rule.camel)) {
      add_field_error(errors, path, std::string(rule.text));
    }
    value.erase(std::string(rule.snake));
    value.erase(std::string(rule.camel));
  }
  return value;
}

bool is_main_container(const json& container) {
  return !is_set(container, "name") || container.at("name") == kMainContainer;
}

void check_container_list(const json& list, std::string_view path, FieldErrors& errors, bool may_hold_main) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string at = item_path(path, i);
    if (!list[i].is_object()) {
      add_field_error(errors, at, expected_text("object", list[i]));
      continue;
    }
    const bool is_main = may_hold_main && is_main_container(list[i]);
    const json rest = is_main ? without_forbidden(list[i], kMainForbidden, at, errors) : list[i];
    validate(kContainerSchema, rest, at, errors);
  }
}

// Beside each unknown field the one that was probably meant. `at`: where the pod is within the configuration.
void suggest_fields(std::string_view at, std::span<Error> errors) {
  constexpr std::string_view kUnknown = "additionalProperties \"";
  for (Error& error : errors) {
    if (!error.message.starts_with(kUnknown) || !error.field.starts_with(at)) continue;
    const std::string_view below = std::string_view(error.field).substr(at.size());
    const std::string_view shape = shape_at(below.substr(below.starts_with('.') ? 1 : 0));
    std::string meant;
    for (std::size_t open = error.message.find('"'); open != std::string::npos;) {
      const std::size_t close = error.message.find('"', open + 1);
      if (close == std::string::npos) break;  // a key may have a quote in it
      const std::string_view near = nearest_field(shape, error.message.substr(open + 1, close - open - 1));
      if (!near.empty()) meant += (meant.empty() ? "\"" : ", \"") + std::string(near) + "\"";
      open = error.message.find('"', close + 1);
    }
    if (!meant.empty()) error.message += "; did you mean " + meant + "?";
  }
}

bool is_digit_or_dot(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

// ^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$
bool is_quantity(std::string_view text) {
  const auto skip = [&](auto matches) {
    std::size_t count = 0;
    while (count < text.size() && matches(text[count])) ++count;
    text.remove_prefix(count);
    return count;
  };
  const auto skip_sign = [&] {
    if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  };
  skip_sign();
  if (skip(is_digit_or_dot) == 0) return false;
  skip([](char c) { return std::string_view("eEinumkKMGTP").find(c) != std::string_view::npos; });
  skip_sign();
  skip([](char c) { return c >= '0' && c <= '9'; });
  return text.empty();
}

}  // namespace

void check_containers(const json& value, std::string_view path, FieldErrors& errors) {
  check_container_list(value, path, errors, true);
}

void check_other_containers(const json& value, std::string_view path, FieldErrors& errors) {
  check_container_list(value, path, errors, false);
}

void check_volume(const json& value, std::string_view path, FieldErrors& errors) {
  std::string sources;
  std::size_t count = 0;
  for (const Field& source : volume_sources()) {
    const auto it = value.find(source.name);
    if (it == value.end() || it->is_null()) continue;
    sources += (count++ == 0 ? "" : ", ") + std::string(source.name);
  }
  if (count == 1) return;
  const auto name = value.find("name");
  const std::string who = "volume" + (name != value.end() && name->is_string() ? " " + name->dump() : std::string());
  add_field_error(errors, path,
                  count == 0 ? who +
                                   " has no source; give it one, such as emptyDir, persistentVolumeClaim, hostPath, "
                                   "configMap or secret (indented like its name)"
                             : who + " has more than one source: " + sources);
}

void check_quantity(const json& value, std::string_view path, FieldErrors& errors) {
  if (value.is_number() || (value.is_string() && is_quantity(value.get_ref<const std::string&>()))) return;
  if (!value.is_string()) return add_field_error(errors, path, expected_text("string or number", value));
  add_field_error(errors, path,
                  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

void check_quantities(const json& value, std::string_view path, FieldErrors& errors) {
  for (const auto& [name, quantity] : value.items()) check_quantity(quantity, child_path(path, name), errors);
}

void check_pod_spec(const json& value, std::string_view path, FieldErrors& errors) {
  check_forbidden(value, kPodForbidden, path, errors);
  const auto spec = value.find("spec");
  if (spec == value.end() || !spec->is_object() || !spec->contains("containers")) return;
  const json& containers = spec->at("containers");
  for (std::size_t i = 0; containers.is_array() && i < containers.size(); ++i) {
    if (!containers[i].is_object() || !is_main_container(containers[i])) continue;
    check_forbidden(containers[i], kMainForbidden, item_path(child_path(path, "spec.containers"), i), errors);
  }
}

void check_pod_spec_runnable(const json& value, std::string_view path, FieldErrors& errors) {
  const std::size_t before = errors.size();
  validate(kPodSchema, without_forbidden(value, kPodForbidden, path, errors), path, errors);
  suggest_fields(path, std::span(errors).subspan(before));
}

}  // namespace det::model
