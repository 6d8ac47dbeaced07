#include <array>
#include <cctype>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "model/expconf/sections.h"
#include "model/expconf/unite_by.h"
#include "model/pod/pod_spec_check.h"
#include "model/pod/pod_spec_merge.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 3> kSlotTypes = {"cpu", "cuda", "rocm"};

// `value` is one `T` for all slot types, or an object whose members are. "gpu" is the old word for cuda.
template <typename IsT>
bool is_one_or_per_slot_type(const json& value, IsT is_t) {
  if (is_t(value)) return true;
  if (!value.is_object()) return false;
  for (const auto& [key, member] : value.items()) {
    const bool is_known = key == "cpu" || key == "cuda" || key == "rocm" || key == "gpu";
    if (!is_known || !(member.is_null() || is_t(member))) return false;
  }
  return true;
}

void spread(json& value, bool is_single) {
  json spread = json::object();
  for (const char* type : kSlotTypes) {
    const bool is_old_cuda = std::string_view(type) == "cuda" && !is_single && get_any(value, "cuda").is_null();
    const char* source = is_old_cuda ? "gpu" : type;
    if (is_single) {
      spread[type] = value;
    } else if (value.contains(source) && !value[source].is_null()) {
      spread[type] = value[source];
    }
  }
  value = std::move(spread);
}

bool is_list_of_text(const json& value) {
  if (!value.is_array()) return false;
  for (const json& item : value) {
    if (!item.is_string()) return false;
  }
  return true;
}

// The name rule is the API server's: a pod with another name would be refused only when the trial starts.
void check_variable_names(const json& list, std::string_view path, FieldErrors& errors) {
  if (!is_list_of_text(list)) return;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto& text = list[i].get_ref<const std::string&>();
    const std::string name = text.substr(0, text.find('='));
    bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0;
    for (const char c : name) {
      is_name = is_name && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.');
    }
    if (!is_name) {
      add_field_error(errors, item_path(path, i), "\"" + name + "\" is not the name of an environment variable");
    }
  }
}

void check_all_variable_names(const json& value, std::string_view path, FieldErrors& errors) {
  if (!value.is_object()) return check_variable_names(value, path, errors);
  for (const auto& [key, list] : value.items()) check_variable_names(list, child_path(path, key), errors);
}

void check_port(const json& value, std::string_view path, FieldErrors& errors) {
  const auto port = whole_number(value);
  if (port && *port >= 1 && *port <= 65535) return;
  add_field_error(errors, path, "must be a whole number from 1 to 65535 but found " + value.dump());
}

// Two services cannot have one address.
void check_proxy_ports(const json& ports, std::string_view path, FieldErrors& errors) {
  std::set<std::int64_t> seen;
  bool has_default = false;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto port = whole_number(get_any(ports[i], "proxy_port"));
    if (port && !seen.insert(*port).second) {
      add_field_error(errors, item_path(path, i), "proxy_port " + std::to_string(*port) + " is listed twice");
    }
    if (!get_bool(ports[i], "default_service_id")) continue;
    if (has_default) add_field_error(errors, item_path(path, i), "only one port can be the default service");
    has_default = true;
  }
}

constexpr Field kProxyPort[] = {
    {.name = "proxy_port", .type = Type::kNumber, .required = true, .check_runnable = check_port},
    {.name = "proxy_tcp", .type = Type::kBoolean, .fallback = "false"},
    {.name = "unauthenticated", .type = Type::kBoolean, .fallback = "false"},
    {.name = "default_service_id", .type = Type::kBoolean, .fallback = "false"},
};

constexpr Field kRegistryAuth[] = {
    {.name = "username", .type = Type::kString, .omitted_when_null = true},
    {.name = "password", .type = Type::kString, .omitted_when_null = true},
    {.name = "auth", .type = Type::kString, .omitted_when_null = true},
    {.name = "email", .type = Type::kString, .omitted_when_null = true},
    {.name = "serveraddress", .type = Type::kString, .omitted_when_null = true},
    {.name = "identitytoken", .type = Type::kString, .omitted_when_null = true},
    {.name = "registrytoken", .type = Type::kString, .omitted_when_null = true},
};

// "gpu" is only read: normalising makes it "cuda".
constexpr Field kImagePerType[] = {
    {.name = "cpu", .type = Type::kString, .fallback = R"("determinedai/pytorch-ngc-dev:0736b6d")"},
    {.name = "cuda", .type = Type::kString, .fallback = R"("determinedai/pytorch-ngc-dev:0736b6d")"},
    {.name = "rocm",
     .type = Type::kString,
     .fallback = R"("determinedai/environments:rocm-5.6-pytorch-1.3-tf-2.10-rocm-mpich-0736b6d")"},
    {.name = "gpu", .type = Type::kString, .omitted_when_null = true},
};

constexpr Field kVariablesPerType[] = {
    {.name = "cpu", .type = Type::kList, .element = Type::kString, .fallback = "[]"},
    {.name = "cuda", .type = Type::kList, .element = Type::kString, .fallback = "[]"},
    {.name = "rocm", .type = Type::kList, .element = Type::kString, .fallback = "[]"},
    {.name = "gpu", .type = Type::kList, .element = Type::kString, .omitted_when_null = true}};

constexpr Field kFields[] = {
    {.name = "image", .object = &kImageMapSchema, .fallback = "{}", .check = check_image, .normalise = normalise_image},
    {.name = "environment_variables",
     .object = &kVariablesMapSchema,
     .fallback = "{}",
     .check = check_environment_variables,
     .check_runnable = check_all_variable_names,
     .normalise = normalise_environment_variables,
     .merge = merge_environment_variables},
    {.name = "proxy_ports",
     .type = Type::kList,
     .object = &kProxyPortSchema,
     .fallback = "[]",
     .check_runnable = check_proxy_ports,
     .merge = merge_proxy_ports},
    {.name = "ports", .type = Type::kMap, .element = Type::kInteger, .fallback = "{}"},
    {.name = "force_pull_image", .type = Type::kBoolean, .fallback = "false"},
    {.name = "registry_auth", .type = Type::kObject, .object = &kRegistryAuthSchema},
    {.name = "add_capabilities", .type = Type::kList, .element = Type::kString, .fallback = "[]"},
    {.name = "drop_capabilities", .type = Type::kList, .element = Type::kString, .fallback = "[]"},
    {.name = "pod_spec",
     .type = Type::kMap,
     .check = check_pod_spec,
     .check_runnable = check_pod_spec_runnable,
     .merge = merge_pod_spec},
};

}  // namespace

void check_image(const json& value, std::string_view path, FieldErrors& errors) {
  if (!is_one_or_per_slot_type(value, [](const json& v) { return v.is_string(); })) {
    add_field_error(errors, path, "is neither a string nor a map of cpu, cuda, or rocm to strings");
  }
}

void check_environment_variables(const json& value, std::string_view path, FieldErrors& errors) {
  if (!is_one_or_per_slot_type(value, is_list_of_text)) {
    add_field_error(errors, path, "is neither a list of strings nor a map of cpu, cuda, or rocm to lists of strings");
  }
}

void normalise_image(json& value) {
  spread(value, value.is_string());
}

void normalise_environment_variables(json& value) {
  spread(value, value.is_array());
}

// theirs first: of two values of one variable the later counts in the container.
json merge_environment_variables(const json& ours, const json& theirs) {
  json merged = theirs;
  for (const auto& [type, list] : ours.items()) {
    json& slot = merged[type];
    if (slot.is_null()) slot = json::array();
    slot.insert(slot.end(), list.begin(), list.end());
  }
  return merged;
}

json merge_proxy_ports(const json& ours, const json& theirs) {
  return unite_by("proxy_port", ours, theirs);
}

constinit const ObjectSchema kProxyPortSchema = {.fields = kProxyPort};
constinit const ObjectSchema kRegistryAuthSchema = {.fields = kRegistryAuth};
constinit const ObjectSchema kImageMapSchema = {.fields = kImagePerType};
constinit const ObjectSchema kVariablesMapSchema = {.fields = kVariablesPerType};
constinit const ObjectSchema kEnvironmentSchema = {.fields = kFields};

}  // namespace det::model
