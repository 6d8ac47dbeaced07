#include "model/pod/pod_spec_merge.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace det::model {
namespace {

using nlohmann::json;

// How the entries of one list find each other, and whether two that do are united or the upper one is taken whole.
struct ListRule {
  std::string_view list;
  std::string_view key;
  bool is_united;
};
constexpr std::array<ListRule, 13> kListRules = {{
    {"containers", "name", true},
    {"initContainers", "name", true},
    {"ephemeralContainers", "name", true},
    {"volumes", "name", false},
    {"imagePullSecrets", "name", false},
    {"env", "name", false},
    {"volumeMounts", "mountPath", false},
    {"volumeDevices", "devicePath", false},
    {"ports", "containerPort", true},
    {"hostAliases", "ip", false},
    {"resourceClaims", "name", false},
    {"schedulingGates", "name", false},
    {"topologySpreadConstraints", "topologyKey", false},
}};

json merge_objects(const json& ours, const json& theirs);

const json* key_of(const json& entry, std::string_view key) {
  const auto it = entry.is_object() ? entry.find(key) : entry.end();
  return it == entry.end() ? nullptr : &*it;
}

// The entries of a list by the value of their key, of several with one value the first. Lists of users may be long.
class Entries {
 public:
  Entries(const json& list, std::string_view key) {
    for (const json& entry : list) {
      if (const json* value = key_of(entry, key)) entries_.emplace(value, &entry);
    }
  }
  [[nodiscard]] const json* with(const json* value) const {
    const auto found = value == nullptr ? entries_.end() : entries_.find(value);
    return found == entries_.end() ? nullptr : found->second;
  }

 private:
  struct ByValue {
    bool operator()(const json* a, const json* b) const { return *a < *b; }
  };
  std::map<const json*, const json*, ByValue> entries_;
};

// Before an entry that both have goes what stands before it in `theirs`, whose order among each other stays: init
// containers run in it, and variables refer to earlier ones. The rest of theirs comes last.
json merge_lists(const ListRule& rule, const json& ours, const json& theirs) {
  const Entries of_ours(ours, rule.key);
  const Entries of_theirs(theirs, rule.key);
  json merged = json::array();
  std::size_t next = 0;
  const auto add_theirs_before = [&](const json* place) {
    for (; next < theirs.size() && &theirs[next] != place; ++next) {
      if (of_ours.with(key_of(theirs[next], rule.key)) == nullptr) merged.push_back(theirs[next]);
    }
  };
  for (const json& entry : ours) {
    const json* below = of_theirs.with(key_of(entry, rule.key));
    if (below != nullptr && next < theirs.size() && below > &theirs[next]) add_theirs_before(below);
    merged.push_back(below != nullptr && rule.is_united ? merge_objects(entry, *below) : entry);
  }
  add_theirs_before(nullptr);
  return merged;
}

json merge_values(std::string_view name, const json& ours, const json& theirs) {
  if (ours.is_object() && theirs.is_object()) return merge_objects(ours, theirs);
  const auto rule = std::ranges::find(kListRules, name, &ListRule::list);
  const bool is_keyed = rule != kListRules.end() && ours.is_array() && theirs.is_array();
  return is_keyed ? merge_lists(*rule, ours, theirs) : ours;
}

json merge_objects(const json& ours, const json& theirs) {
  json merged = theirs;
  for (const auto& [name, value] : ours.items()) {
    if (value.is_null()) continue;
    json& slot = merged[name];
    slot = slot.is_null() ? value : merge_values(name, value, slot);
  }
  return merged;
}

}  // namespace

json merge_pod_spec(const json& ours, const json& theirs) {
  if (!theirs.is_object()) return ours;
  if (!ours.is_object()) return theirs;
  return merge_objects(ours, theirs);
}

}  // namespace det::model
