#include "model/expconf/accept_checks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/expconf/accept_config.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 100;

// Without recursion: what comes in may be nested deeper than the stack is.
bool is_deeper_than(const json& root, std::size_t limit) {
  std::vector<std::pair<const json*, std::size_t>> open = {{&root, 0}};
  while (!open.empty()) {
    const auto [value, depth] = open.back();
    open.pop_back();
    if (depth > limit) return true;
    if (!value->is_structured()) continue;
    for (const json& member : *value) open.emplace_back(&member, depth + 1);
  }
  return false;
}

}  // namespace

FieldErrors one_error(std::string_view field, std::string message) {
  FieldErrors errors;
  add_field_error(errors, field, std::move(message));
  return errors;
}

FieldErrors check_form(const json& config) {
  if (!config.is_object()) return one_error("", expected_text("object", config));
  if (is_deeper_than(config, kMaxDepth)) return one_error("", "nested deeper than 100 levels");
  return {};
}

void check_pool(const std::string& pool, const MasterConfig& master, FieldErrors& errors) {
  const std::vector<std::string> known = pool_names(master);
  const bool is_known = std::ranges::find(known, pool) != known.end();
  // Where roles rule, a pool that is kept for workspaces that somebody does not see is to have no name for them.
  if (!is_known && master.authz.has_roles) {
    add_field_error(errors, kPoolField,
                    "resource pool " + pool +
                        " does not exist or is not available to you; `det resource-pool list` shows those that are");
  } else if (!is_known) {
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    add_field_error(errors, kPoolField, "resource pool " + pool + " does not exist; there are: " + list);
  }
  const ResourcePool* own = find_pool(pool, master);
  if (own != nullptr && !own->objection.empty()) {
    add_field_error(errors, kPoolField, "resource pool " + pool + " is not valid: " + own->objection);
  }
}

}  // namespace det::model
