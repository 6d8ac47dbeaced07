// The rules of a schema, as the real server applies them: after everything else, not to null, and those that compare
// with the old value only where there is one.

#include "local/kubeapi/schema.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

const json* member_of(const json* object, const std::string& name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(name);
  return found == object->end() || found->is_null() ? nullptr : &*found;
}

// The real server names the type of what it refuses, not the value.
std::string type_text(const json& value) {
  if (value.is_number_integer()) return "integer";
  return value.type_name();
}

// The object itself has no path; the real server's word for that is Go's for no path at all.
std::string path_of(const std::string& path, const SchemaRule& rule) {
  const std::string whole = path + rule.field_path;
  if (whole.empty()) return "<nil>";
  return whole.starts_with('.') ? whole.substr(1) : whole;
}

}  // namespace

void validate_rules(const Schema& schema, const json& value, const json* before, const std::string& path,
                    std::vector<FieldError>& errors) {
  if (!schema.has_rules || value.is_null()) return;
  if (before != nullptr && *before == value) return;
  for (const SchemaRule& each : schema.rules) {
    if (each.rule->compares_with_old() && before == nullptr) continue;
    if (each.rule->evaluate(value, before) == CelRule::Verdict::kHolds) continue;
    errors.push_back(invalid_value(path_of(path, each), type_text(value), each.message));
  }
  if (value.is_array() && schema.items != nullptr) {
    // Items of a list have no names: which of the old ones one was cannot be told.
    for (std::size_t i = 0; i < value.size(); ++i) {
      validate_rules(*schema.items, value[i], nullptr, path + "[" + std::to_string(i) + "]", errors);
    }
  }
  if (!value.is_object()) return;
  for (const auto& [name, member] : value.items()) {
    const auto known = schema.properties.find(name);
    const Schema* below = known != schema.properties.end() ? &known->second : schema.additional.get();
    if (below == nullptr) continue;
    validate_rules(*below, member, member_of(before, name), path.empty() ? name : path + "." + name, errors);
  }
}

}  // namespace det::local::kubeapi
