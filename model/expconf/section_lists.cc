// Bind mounts, log policies, lengths, retention: the small sections that change how a trial runs.
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/pattern.h"
#include "model/expconf/sections.h"

namespace det::model {
namespace {

using nlohmann::json;

void check_host_path(const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.get_ref<const std::string&>().starts_with('/')) {
    add_field_error(errors, path, "host_path must be an absolute path");
  }
}

void check_container_path(const json& value, std::string_view path, FieldErrors& errors) {
  if (value == ".") add_field_error(errors, path, R"(container_path must not be ".")");
}

constexpr Field kBindMount[] = {
    {.name = "host_path", .type = Type::kString, .required = true, .check = check_host_path},
    {.name = "container_path", .type = Type::kString, .required = true, .check = check_container_path},
    {.name = "read_only", .type = Type::kBoolean, .fallback = "false"},
    {.name = "propagation", .type = Type::kString, .fallback = R"("rprivate")"},
};

// The action as its word: the old form is {"type": word}.
const json* action_word(const json& action) {
  if (action.is_string()) return &action;
  const auto it = action.is_object() && action.size() == 1 ? action.find("type") : action.end();
  return it != action.end() && it->is_string() ? &*it : nullptr;
}

bool is_set(const json& object, const char* key) {
  return object.contains(key) && !object.at(key).is_null();
}

void check_log_policy(const json& value, std::string_view path, FieldErrors& errors) {
  if (is_set(value, "name") || (is_set(value, "pattern") && is_set(value, "action"))) return;
  add_field_error(errors, path,
                  "\"name\" must be set, and \"pattern\" is also required unless you intend to disable an existing "
                  "policy");
}

void check_pattern(const json& value, std::string_view path, FieldErrors& errors) {
  const auto pattern = Pattern::compile(value.get<std::string>());
  if (pattern) return;
  add_field_error(
      errors, path,
      "is not a regular expression (RE2, the syntax of Go): " + pattern.error().message + "; found " + value.dump());
}

constexpr Field kLogPolicy[] = {
    {.name = "name", .type = Type::kString, .omitted_when_null = true},
    {.name = "pattern", .type = Type::kString, .omitted_when_null = true, .check_runnable = check_pattern},
    {.name = "action", .omitted_when_null = true, .check = check_log_action, .normalise = normalise_log_action},
};

std::string policy_key(const json& policy) {
  if (is_set(policy, "name")) return policy.at("name").get<std::string>();
  return "\n" + policy.value("action", "") + ":" + policy.value("pattern", "");
}

void check_length(const json& value, std::string_view path, FieldErrors& errors) {
  std::size_t set = 0;
  for (const auto& [unit, amount] : value.items()) set += amount.is_null() ? 0 : 1;
  if (set == 1) return;
  add_field_error(errors, path, R"(a length object must have one attribute named "batches", "records", or "epochs")");
}

constexpr Field kLength[] = {
    {.name = "batches", .type = Type::kInteger, .minimum = 0, .omitted_when_null = true},
    {.name = "records", .type = Type::kInteger, .minimum = 0, .omitted_when_null = true},
    {.name = "epochs", .type = Type::kInteger, .minimum = 0, .omitted_when_null = true},
};
constexpr Field kPositiveLength[] = {
    {.name = "batches", .type = Type::kInteger, .minimum = 1, .omitted_when_null = true},
    {.name = "records", .type = Type::kInteger, .minimum = 1, .omitted_when_null = true},
    {.name = "epochs", .type = Type::kInteger, .minimum = 1, .omitted_when_null = true},
};
constexpr Field kRetention[] = {
    {.name = "log_retention_days", .type = Type::kInteger, .minimum = -1, .maximum = 32767, .eventually = true}};

// Seeds have 32 bits; upstream says so when it decodes them.
void check_seed(const json& value, std::string_view path, FieldErrors& errors) {
  constexpr std::int64_t kMax = 4294967295;
  if (*whole_number(value) <= kMax) return;
  add_field_error(errors, path, "must be <= " + std::to_string(kMax) + " but found " + value.dump());
}

constexpr Field kReproducibility[] = {{.name = "experiment_seed",
                                       .type = Type::kInteger,
                                       .minimum = 0,
                                       .eventually = true,
                                       .check_runnable = check_seed}};

json built_in_log_policies() {
  return json::array({{{"name", "CUDA OOM"}, {"pattern", ".*CUDA out of memory.*"}},
                      {{"name", "ECC Error"}, {"pattern", ".*uncorrectable ECC error encountered.*"}}});
}

}  // namespace

void check_log_action(const json& value, std::string_view path, FieldErrors& errors) {
  const json* word = action_word(value);
  if (word == nullptr || (*word != "cancel_retries" && *word != "exclude_node")) {
    add_field_error(errors, path, R"(must be one of "cancel_retries" or "exclude_node")");
  }
}

void normalise_log_action(json& value) {
  const json word = *action_word(value);
  value = word;
}

void check_log_policy_names(const json& value, std::string_view path, FieldErrors& errors) {
  std::set<std::string> seen;
  for (const json& policy : value) {
    const auto name = policy.is_object() ? policy.find("name") : policy.end();
    if (name == policy.end() || !name->is_string()) continue;
    const auto text = name->get<std::string>();
    if (!seen.insert(text).second) {
      add_field_error(errors, path, "log_policies have duplicated names \"" + text + "\"");
    }
  }
}

void add_built_in_log_policies(json& value) {
  value = merge_log_policies(value, built_in_log_policies());
}

json take_ours(const json& ours, const json& /*theirs*/) {
  return ours;
}

json merge_log_policies(const json& ours, const json& theirs) {
  json merged = ours;
  std::set<std::string> seen;
  for (const json& policy : ours) seen.insert(policy_key(policy));
  for (const json& policy : theirs) {
    if (seen.insert(policy_key(policy)).second) merged.push_back(policy);
  }
  return merged;
}

constinit const ObjectSchema kBindMountSchema = {.fields = kBindMount};
constinit const ObjectSchema kLogPolicySchema = {.fields = kLogPolicy, .check = check_log_policy};
constinit const ObjectSchema kLengthSchema = {.fields = kLength, .check = check_length};
constinit const ObjectSchema kPositiveLengthSchema = {.fields = kPositiveLength, .check = check_length};
constinit const ObjectSchema kRetentionSchema = {.fields = kRetention};
constinit const ObjectSchema kReproducibilitySchema = {.fields = kReproducibility};

}  // namespace det::model
