// Strategic merge patch: lists of the built-in types are merged by a key of their items.

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "local/kubeapi/patch.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr std::string_view kOrder = "$setElementOrder/";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";

// The patchMergeKey of k8s.io/api for the lists of the types that we serve.
std::optional<std::string> merge_key(std::string_view list, const json& items) {
  static const std::map<std::string_view, std::string> keys = {{"containers", "name"},
                                                               {"initContainers", "name"},
                                                               {"ephemeralContainers", "name"},
                                                               {"volumes", "name"},
                                                               {"env", "name"},
                                                               {"volumeMounts", "mountPath"},
                                                               {"volumeDevices", "devicePath"},
                                                               {"imagePullSecrets", "name"},
                                                               {"hostAliases", "ip"},
                                                               {"conditions", "type"},
                                                               {"addresses", "type"},
                                                               {"taints", "key"},
                                                               {"ownerReferences", "uid"},
                                                               {"secrets", "name"},
                                                               {"schedulingGates", "name"},
                                                               {"podIPs", "ip"},
                                                               {"hostIPs", "ip"},
                                                               {"resourceClaims", "name"},
                                                               {"topologySpreadConstraints", "topologyKey"}};
  if (list == "ports") {  // of a container, or of a service
    const bool is_service =
        std::ranges::any_of(items, [](const json& port) { return port.is_object() && port.contains("port"); });
    return is_service ? "port" : "containerPort";
  }
  const auto found = keys.find(list);
  if (found == keys.end()) return std::nullopt;
  return found->second;
}

// Lists of plain values that are sets.
bool is_set(std::string_view list) {
  return list == "finalizers";
}

std::string directive(const json& object) {
  return get_string(object, "$patch");
}

class Merger {
 public:
  // Reads `patch`; the first thing that is wrong is kept.
  void merge_object(json& object, const json& patch) {
    if (!object.is_object()) object = json::object();
    const std::string what = directive(patch);
    if (what == "replace") {
      object = without_directives(patch);
      return;
    }
    if (what == "delete") {
      object = json::object();
      return;
    }
    if (!what.empty() && what != "merge") return fail("Unknown patch type '" + what + "' found");
    retain_keys(object, patch);
    for (const auto& [name, value] : patch.items()) {
      if (!name.starts_with('$')) merge_member(object, name, value, patch);
    }
    delete_from_lists(object, patch);
    order_lists(object, patch);
  }

  std::string error;

 private:
  void fail(std::string text) {
    if (error.empty()) error = std::move(text);
  }

  static json without_directives(const json& patch) {
    json out = json::object();
    for (const auto& [name, value] : patch.items()) {
      if (!name.starts_with('$')) out[name] = value;
    }
    return out;
  }

  void merge_member(json& object, const std::string& name, const json& value, const json& patch) {
    if (value.is_null()) {
      object.erase(name);
    } else if (value.is_object()) {
      if (directive(value) == "delete") {
        object.erase(name);
      } else {
        merge_object(object[name], value);
      }
    } else if (value.is_array()) {
      merge_list(object, name, value, patch);
    } else {
      object[name] = value;
    }
  }

  void merge_list(json& object, const std::string& name, const json& patch, const json&) {
    const auto key = merge_key(name, patch);
    const bool replaces = std::ranges::any_of(patch, [](const json& item) { return directive(item) == "replace"; });
    if (replaces) {
      object[name] = json::array();
      for (const json& item : patch) {
        if (directive(item).empty()) object[name].push_back(item);
      }
      return;
    }
    json& list = object[name];
    if (!list.is_array()) list = json::array();
    if (is_set(name)) {
      for (const json& item : patch) {
        if (std::ranges::find(list, item) == list.end()) list.push_back(item);
      }
    } else if (!key || !std::ranges::all_of(patch, [](const json& item) { return item.is_object(); })) {
      list = patch;
    } else {
      for (const json& item : patch) merge_item(list, *key, item);
    }
  }

  void merge_item(json& list, const std::string& key, const json& item) {
    const auto wanted = item.find(key);
    if (wanted == item.end()) return fail("map: " + dump(item) + " does not contain declared merge key: " + key);
    const auto same = [&](const json& other) {
      return other.is_object() && other.contains(key) && other[key] == *wanted;
    };
    const std::string what = directive(item);
    if (what == "delete") {
      for (auto at = list.begin(); at != list.end();) at = same(*at) ? list.erase(at) : at + 1;
      return;
    }
    const auto found = std::ranges::find_if(list, same);
    if (found == list.end()) {
      list.push_back(json::object());
      merge_object(list.back(), item);
    } else {
      merge_object(*found, item);
    }
  }

  static void retain_keys(json& object, const json& patch) {
    const auto retain = patch.find("$retainKeys");
    if (retain == patch.end() || !retain->is_array()) return;
    for (auto member = object.begin(); member != object.end();) {
      const bool stays = std::ranges::find(*retain, json(member.key())) != retain->end();
      member = stays ? std::next(member) : object.erase(member);
    }
  }

  static void delete_from_lists(json& object, const json& patch) {
    for (const auto& [name, values] : patch.items()) {
      if (!name.starts_with(kDeleteFrom) || !values.is_array()) continue;
      const auto list = object.find(name.substr(kDeleteFrom.size()));
      if (list == object.end() || !list->is_array()) continue;
      for (auto at = list->begin(); at != list->end();) {
        at = std::ranges::find(values, *at) != values.end() ? list->erase(at) : at + 1;
      }
    }
  }

  // Items that the order does not name stay where they were, after the named ones that stood before them.
  static void order_lists(json& object, const json& patch) {
    for (const auto& [name, order] : patch.items()) {
      if (!name.starts_with(kOrder) || !order.is_array()) continue;
      const std::string list_name = name.substr(kOrder.size());
      const auto list = object.find(list_name);
      if (list == object.end() || !list->is_array()) continue;
      const auto key = merge_key(list_name, order);
      const auto place = [&](const json& item) -> std::size_t {
        for (std::size_t i = 0; i < order.size(); ++i) {
          const bool is_it = key && order[i].is_object() && item.is_object()
                                 ? order[i].contains(*key) && item.contains(*key) && order[i][*key] == item[*key]
                                 : order[i] == item;
          if (is_it) return i;
        }
        return order.size();
      };
      std::multimap<std::size_t, json> ranked;  // keeps the order of equals
      std::size_t last = 0;
      for (json& item : *list) {
        const std::size_t at = place(item);
        if (at < order.size()) last = std::max(last, at);
        ranked.emplace(at < order.size() ? at : last, std::move(item));
      }
      *list = json::array();
      for (auto& [rank, item] : ranked) list->push_back(std::move(item));
    }
  }
};

}  // namespace

ApiResult<json> strategic_merge(json object, const json& patch) {
  Merger merger;
  merger.merge_object(object, patch);
  if (!merger.error.empty()) return std::unexpected(bad_request(merger.error));
  return object;
}

}  // namespace det::local::kubeapi
