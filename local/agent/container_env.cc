#include "local/agent/container_env.h"

#include <algorithm>

namespace det::local {
namespace {

std::optional<std::string> subscript(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix) || !path.ends_with("']")) return std::nullopt;
  path.remove_prefix(prefix.size());
  path.remove_suffix(2);
  return std::string(path);
}

std::optional<std::string> entry(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto it = map.find(key);
  return it == map.end() ? std::string() : it->second;
}

Result<std::string> resource_value(const ContainerView& container, const NodeFacts& node, const EnvVar& env) {
  const bool limits = env.resource->starts_with("limits.");
  const Quantities& of = limits ? container.limits : container.requests;
  const auto divisor = parse_milli(env.divisor).value_or(1000);
  if (divisor <= 0) return fail(ErrorCode::kUnimplemented, "env " + env.name + ": divisor must be positive");
  std::int64_t milli = 0;
  if (env.resource->ends_with(".cpu")) {
    milli = of.milli_cpu.value_or(limits ? node.milli_cpu : 0);
  } else if (env.resource->ends_with(".memory")) {
    // Divisors of memory are whole numbers: dividing first keeps the product in range.
    const auto bytes = of.memory.value_or(limits ? node.memory : 0);
    const auto whole = std::max<std::int64_t>(divisor / 1000, 1);
    return std::to_string((bytes + whole - 1) / whole);
  } else {
    return fail(ErrorCode::kUnimplemented, "env " + env.name + ": resource " + *env.resource +
                                               " is not known; use limits.cpu, limits.memory, requests.cpu or "
                                               "requests.memory");
  }
  return std::to_string((milli + divisor - 1) / divisor);
}

Result<std::optional<std::string>> key_value(const ObjectData& objects, const KeyRef& ref, std::string_view kind) {
  const auto object = objects.find(ref.name);
  if (object == objects.end()) {
    if (ref.optional) return std::nullopt;
    return fail(ErrorCode::kNotFound, std::string(kind) + " \"" + ref.name + "\" not found");
  }
  const auto value = object->second.find(ref.key);
  if (value != object->second.end()) return value->second;
  if (ref.optional) return std::nullopt;
  return fail(ErrorCode::kNotFound, "couldn't find key " + ref.key + " in " + std::string(kind) + " " + ref.name);
}

// nullopt: the variable is not set at all (an optional reference that points nowhere).
Result<std::optional<std::string>> value_of(const PodView& pod, const ContainerView& container, const NodeFacts& node,
                                            const EnvObjects& objects, const EnvVar& env, const Environment& so_far) {
  if (env.config_map_key) return key_value(objects.config_maps, *env.config_map_key, "configmap");
  if (env.secret_key) return key_value(objects.secrets, *env.secret_key, "secret");
  if (env.field_path) {
    auto value = pod_field(pod, node, *env.field_path);
    if (!value)
      return fail(ErrorCode::kUnimplemented, "env " + env.name + ": field " + *env.field_path + " is not known");
    return value;
  }
  if (env.resource) {
    auto value = resource_value(container, node, env);
    DET_TRY(value);
    return std::optional(*value);
  }
  return std::optional(expand_variables(env.value, so_far));
}

Status add_env_from(const EnvFrom& from, const EnvObjects& objects, Environment& env) {
  const ObjectData& all = from.is_secret ? objects.secrets : objects.config_maps;
  const auto object = all.find(from.name);
  if (object == all.end()) {
    if (from.optional) return {};
    return fail(ErrorCode::kNotFound,
                std::string(from.is_secret ? "secret" : "configmap") + " \"" + from.name + "\" not found");
  }
  for (const auto& [key, value] : object->second) set_variable(env, from.prefix + key, value);
  return {};
}

}  // namespace

Status WordBudget::add(const std::string& what, std::size_t size) {
  total_ += size;
  if (size <= kLongestWord && total_ <= kLongestWords) return {};
  return fail(ErrorCode::kInvalidArgument,
              size > kLongestWord
                  ? what + " has more than " + std::to_string(kLongestWord) + " bytes: no program is started with that"
                  : what + ": with it there are more than " + std::to_string(kLongestWords) +
                        " bytes: no program is started with that");
}

void set_variable(Environment& env, const std::string& name, std::string value) {
  const auto it = std::ranges::find(env, name, &std::pair<std::string, std::string>::first);
  if (it == env.end()) {
    env.emplace_back(name, std::move(value));
  } else {
    it->second = std::move(value);
  }
}

std::optional<std::string> pod_field(const PodView& pod, const NodeFacts& node, std::string_view path) {
  if (path == "metadata.name") return pod.name;
  if (path == "metadata.namespace") return pod.ns;
  if (path == "metadata.uid") return pod.uid;
  if (path == "spec.nodeName") return node.name;
  if (path == "spec.serviceAccountName") return pod.service_account;
  for (const auto* address : {"status.podIP", "status.podIPs", "status.hostIP", "status.hostIPs"}) {
    if (path == address) return node.address;
  }
  if (const auto label = subscript(path, "metadata.labels['")) return entry(pod.labels, *label);
  if (const auto annotation = subscript(path, "metadata.annotations['")) return entry(pod.annotations, *annotation);
  return std::nullopt;
}

std::string expand_variables(std::string_view text, const Environment& env) {
  constexpr auto kNone = std::string_view::npos;
  const std::size_t last_close = text.rfind(')');
  std::string out;
  std::size_t at = 0;
  for (auto sign = text.find('$'); sign != kNone; sign = text.find('$', at)) {
    out += text.substr(at, sign - at);
    const std::string_view opening = text.substr(sign, 2);
    // A search for each "$(" that nothing closes would read a text that is full of them once for each.
    const bool is_reference = opening == "$(" && last_close != kNone && sign < last_close;
    if (!is_reference) {
      out += '$';
      at = sign + (opening == "$$" ? 2 : 1);
      continue;
    }
    const std::size_t close = text.find(')', sign);
    const std::string_view name = text.substr(sign + 2, close - sign - 2);
    const auto it = std::ranges::find(env, name, &std::pair<std::string, std::string>::first);
    out += it == env.end() ? text.substr(sign, close - sign + 1) : std::string_view(it->second);
    at = close + 1;
    if (out.size() > text.size() + kLongestWord) return out;
  }
  out += text.substr(at);
  return out;
}

EnvObjectNames env_object_names(const ContainerView& container) {
  EnvObjectNames names;
  for (const EnvFrom& from : container.env_from)
    (from.is_secret ? names.secrets : names.config_maps).push_back(from.name);
  for (const EnvVar& env : container.env) {
    if (env.config_map_key) names.config_maps.push_back(env.config_map_key->name);
    if (env.secret_key) names.secrets.push_back(env.secret_key->name);
  }
  for (auto* list : {&names.config_maps, &names.secrets}) {
    std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return names;
}

Result<Environment> resolve_env(const PodView& pod, const ContainerView& container, const NodeFacts& node,
                                const EnvObjects& objects, Environment base) {
  Environment env = std::move(base);
  for (const EnvFrom& from : container.env_from) {
    DET_TRY(add_env_from(from, objects, env));
  }
  WordBudget budget;
  for (const auto& [name, value] : env) DET_TRY(budget.add("env " + name, name.size() + value.size()));
  for (const EnvVar& variable : container.env) {
    auto value = value_of(pod, container, node, objects, variable, env);
    DET_TRY(value);
    if (*value) DET_TRY(budget.add("env " + variable.name, variable.name.size() + (*value)->size()));
    if (*value) set_variable(env, variable.name, std::move(**value));
  }
  return env;
}

}  // namespace det::local
