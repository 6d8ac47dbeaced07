#include "model/taskconf/task_schema.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <nlohmann/json.hpp>

#include "base/duration_text.h"
#include "base/json_get.h"
#include "model/expconf/sections.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> kIdleTypes = {"kernels_or_terminals", "kernel_connections", "activity"};

// The harness does the same with the entrypoint of an experiment.
void normalise_entrypoint(json& value) {
  if (!value.is_string()) return;
  value = value == "" ? json::array() : json{"sh", "-c", value};
}

void check_idle_timeout(const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.is_string()) {
    return add_field_error(errors, path,
                           "invalid duration: " + value.dump(-1, ' ', false, json::error_handler_t::replace) +
                               R"(; write a text such as "30m" or "1h30m")");
  }
  const auto duration = parse_duration_text(value.get_ref<const std::string&>());
  if (!duration) {
    add_field_error(errors, path, "error parsing duration: " + duration.error().message);
  } else if (duration->count() <= 0) {
    add_field_error(errors, path, "must be longer than 0s but found " + value.dump());
  }
}

void normalise_idle_timeout(json& value) {
  const auto duration = parse_duration_text(value.get_ref<const std::string&>());
  if (duration) value = duration_text(std::chrono::ceil<std::chrono::seconds>(*duration));
}

constexpr Field kBindMounts = {.name = "bind_mounts",
                               .type = Type::kList,
                               .object = &kBindMountSchema,
                               .fallback = "[]",
                               .merge = merge_by_container_path};
constexpr Field kDebug = {.name = "debug", .type = Type::kBoolean, .fallback = "false"};
constexpr Field kDescription = {.name = "description", .type = Type::kString};
constexpr Field kEntrypoint = {
    .name = "entrypoint", .fallback = "[]", .check = check_entrypoint, .normalise = normalise_entrypoint};
constexpr Field kEnvironment = {
    .name = "environment", .type = Type::kObject, .object = &kEnvironmentSchema, .fallback = "{}"};
constexpr Field kPbs = {.name = "pbs", .type = Type::kObject, .object = &kPbsSchema, .fallback = "{}"};
constexpr Field kSlurm = {.name = "slurm", .type = Type::kObject, .object = &kSlurmSchema, .fallback = "{}"};
constexpr Field kWorkDir = {.name = "work_dir", .check = check_work_dir};

constexpr Field kFields[] = {
    kBindMounts,
    kDebug,
    kDescription,
    kEntrypoint,
    kEnvironment,
    {.name = "idle_timeout", .check = check_idle_timeout, .normalise = normalise_idle_timeout},
    {.name = "notebook_idle_type", .type = Type::kString, .words = kIdleTypes, .fallback = R"("kernels_or_terminals")"},
    kPbs,
    {.name = "resources", .type = Type::kObject, .object = &kTaskResourcesSchema, .fallback = "{}"},
    kSlurm,
    {.name = "tensorboard_args", .type = Type::kList, .element = Type::kString, .fallback = "[]"},
    kWorkDir,
};

constexpr Field kGenericFields[] = {
    kBindMounts,
    kDebug,
    kDescription,
    kEntrypoint,
    kEnvironment,
    kPbs,
    {.name = "preemption_timeout", .type = Type::kInteger, .minimum = 0},
    {.name = "resources", .type = Type::kObject, .object = &kGenericTaskResourcesSchema, .fallback = "{}"},
    kSlurm,
    kWorkDir,
};

const Field* find_field(const ObjectSchema& schema, const std::string& name) {
  const auto found = std::ranges::find(schema.fields, name, &Field::name);
  return found == schema.fields.end() ? nullptr : &*found;
}

json known_of(const ObjectSchema& schema, const json& value, const std::string& path,
              std::vector<std::string>& left_out) {
  if (!value.is_object()) return value;
  json known = json::object();
  for (const auto& [key, member] : value.items()) {
    if (member.is_null()) continue;
    const std::string own = child_path(path, key);
    const Field* field = find_field(schema, key);
    if (field == nullptr) {
      left_out.push_back(own);
    } else if (field->object == nullptr || field->type == Type::kMap || !member.is_structured()) {
      known[key] = member;
    } else if (member.is_object()) {
      known[key] = known_of(*field->object, member, own, left_out);
    } else {
      json& list = known[key] = json::array();
      for (const json& element : member) list.push_back(known_of(*field->object, element, own, left_out));
    }
  }
  return known;
}

}  // namespace

void check_work_dir(const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.is_string()) return add_field_error(errors, path, expected_text("string or null", value));
  if (!value.get_ref<const std::string&>().starts_with('/')) {
    add_field_error(errors, path, "must be an absolute path");
  }
}

json known_part(TaskType type, const json& value, std::vector<std::string>& left_out) {
  json known = known_of(task_schema(type), value, "", left_out);
  // It is there only to be refused by name where somebody asks for it.
  if (type != TaskType::kGeneric && known.is_object() && known.contains("resources") &&
      known["resources"].is_object() && known["resources"].erase("is_single_node") > 0) {
    left_out.emplace_back("resources.is_single_node");
  }
  std::ranges::sort(left_out);
  left_out.erase(std::unique(left_out.begin(), left_out.end()), left_out.end());
  return known;
}

constinit const ObjectSchema kTaskSchema = {.fields = kFields};
constinit const ObjectSchema kGenericTaskSchema = {.fields = kGenericFields};

const ObjectSchema& task_schema(TaskType type) {
  return type == TaskType::kGeneric ? kGenericTaskSchema : kTaskSchema;
}

}  // namespace det::model
