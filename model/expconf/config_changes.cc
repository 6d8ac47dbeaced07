#include "model/expconf/config_changes.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/cluster/cluster_defaults.h"
#include "model/expconf/accept_checks.h"
#include "model/expconf/hyperparameters.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepestName = 100;

const json* member(const json* object, const std::string& key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto it = object->find(key);
  return it == object->end() ? nullptr : &*it;
}

// One place in the three documents; nullptr where there is nothing.
struct Place {
  const json* accepted;
  const json* now;
  const json* frozen;

  [[nodiscard]] Place at(const std::string& key) const {
    return {.accepted = member(accepted, key), .now = member(now, key), .frozen = member(frozen, key)};
  }
  [[nodiscard]] bool is_same() const {
    return accepted == nullptr || now == nullptr ? accepted == now : *accepted == *now;
  }
  [[nodiscard]] bool are_objects() const {
    return accepted != nullptr && now != nullptr && accepted->is_object() && now->is_object();
  }
};

template <typename Visit>
void for_each_key(const json* one, const json* other, Visit visit) {
  if (one != nullptr && one->is_object()) {
    for (const auto& [key, value] : one->items()) visit(key);
  }
  if (other == nullptr || !other->is_object()) return;
  for (const auto& [key, value] : other->items()) {
    if (member(one, key) == nullptr) visit(key);
  }
}

const Field* field_of(const ObjectSchema& schema, const Variant* variant, std::string_view name) {
  const Field* found = nullptr;
  for_each_field(schema, variant, [&](const Field& field) {
    if (field.name == name) found = &field;
  });
  return found;
}

bool is_blank(const json& value) {
  return value.is_structured() && std::ranges::all_of(value, is_blank);
}

// An empty list adds nothing where what lies under it is united with it; elsewhere it takes that away.
bool says_something(const Field& field, const json* value) {
  if (value == nullptr || (value->is_null() && !field.null_is_value)) return false;
  return field.merge == nullptr || field.type == Type::kMap || !is_blank(*value);
}

json complete(const Field& field, const json* value) {
  json whole = value == nullptr ? json() : *value;
  fill(field, whole, Fill::kDefaults);
  return whole;
}

bool is_valid(const ObjectSchema& schema, const json& config) {
  FieldErrors errors = check_form(config);
  if (errors.empty()) validate(schema, config, "", errors);
  return errors.empty();
}

// What of a field differs. The rest, which may be large, is not looked at again.
void copy_difference(const Place& place, const std::string& key, bool is_map, json& before, json& after) {
  if (place.is_same()) return;
  if (is_map && place.are_objects()) {
    json& was = before[key] = json::object();
    json& is = after[key] = json::object();
    for_each_key(place.accepted, place.now,
                 [&](const std::string& name) { copy_difference(place.at(name), name, false, was, is); });
    return;
  }
  if (place.accepted != nullptr) before[key] = *place.accepted;
  if (place.now != nullptr) after[key] = *place.now;
}

bool is_object(const json& value) {
  return value.is_object();
}

bool is_nested(const json& value) {
  return kind_of_hyperparameter(value) == HyperparameterKind::kNested;
}

class Comparison {
 public:
  // As people wrote them. Borrowed.
  Comparison(const json& accepted, const json& now, const FrozenConfig& frozen)
      : accepted_(accepted), now_(now), frozen_(frozen) {}

  std::vector<std::string> run() {
    json before = json::object();
    json after = json::object();
    const Place whole{.accepted = &accepted_, .now = &now_, .frozen = nullptr};
    for_each_key(&accepted_, &now_, [&](const std::string& key) {
      const Field* field = field_of(frozen_.schema, nullptr, key);
      copy_difference(whole.at(key), key, field != nullptr && field->type == Type::kMap, before, after);
    });
    if (is_valid(frozen_.schema, before) && is_valid(frozen_.schema, after)) {
      normalise(frozen_.schema, before);
      normalise(frozen_.schema, after);
      compare(frozen_.schema, {.accepted = &before, .now = &after, .frozen = &frozen_.document});
    } else {
      note({.accepted = &before, .now = &after, .frozen = nullptr});
    }
    return {names_.begin(), names_.end()};
  }

 private:
  void compare(const ObjectSchema& schema, Place place) {
    const Variant* variant = place.frozen == nullptr ? nullptr : variant_of(schema, *place.frozen);
    // Its fields come from one side together: that each is what counts does not make all of them so.
    if (variant != nullptr && variant->regroup != nullptr) place.frozen = nullptr;
    for_each_key(place.accepted, place.now, [&](const std::string& key) {
      path_.emplace_back(key);
      const Field* field = field_of(schema, variant, key);
      if (field != nullptr) {
        compare(*field, place.at(key));
      } else if (!place.at(key).is_same()) {
        note(place.at(key));
      }
      path_.pop_back();
    });
  }

  void compare(const Field& field, Place place) {
    if (!says_something(field, place.accepted)) place.accepted = nullptr;
    if (!says_something(field, place.now)) place.now = nullptr;
    if (place.is_same()) return;
    if (field.type == Type::kMap) {
      compare_maps(place, field.normalise == normalise_hyperparameters ? is_nested : is_object);
    } else if (is_section(field) && field.merge == nullptr) {
      compare(*field.object, place);
    } else {
      compare_values(field, place);
    }
  }

  void compare_values(const Field& field, const Place& place) {
    const json before = complete(field, place.accepted);
    const json after = complete(field, place.now);
    const bool is_default = place.now == nullptr && before == after && !lies_on_others();
    const bool is_the_same = place.accepted != nullptr && place.now != nullptr && before == after;
    // What is completed may stand in for what was taken out, of which another layer may have had its own.
    const bool is_known = field.complete == nullptr || place.accepted == nullptr;
    const bool counts_anyway = place.now != nullptr && is_known && after == complete(field, place.frozen);
    if (!is_default && !is_the_same && !counts_anyway) note(place);
  }

  // Of what people name themselves. Values for which not `is_map` are taken whole when layers are merged.
  void compare_maps(Place place, bool (*is_map)(const json& value)) {
    if (place.frozen != nullptr && !is_map(*place.frozen)) place.frozen = nullptr;
    for_each_key(place.accepted, place.now, [&](const std::string& key) {
      path_.emplace_back(key);
      compare_entries(place.at(key), is_map);
      path_.pop_back();
    });
  }

  void compare_entries(const Place& place, bool (*is_map)(const json& value)) {
    if (place.is_same()) return;
    if (place.now == nullptr) return note(place);
    const bool were_maps = place.accepted == nullptr ? !place.now->empty() : is_map(*place.accepted);
    if (is_map(*place.now) && were_maps) return compare_maps(place, is_map);
    if (place.frozen == nullptr || *place.now != *place.frozen) note(place);
  }

  [[nodiscard]] bool lies_on_others() const { return frozen_.has_template || cluster_may_set(path_text(path_.size())); }

  // The fields that differ at a place that does.
  void note(const Place& place) {
    if (!place.are_objects() || path_.size() >= kDeepestName) {
      names_.insert(path_text(std::max(written_depth(accepted_), written_depth(now_))));
      return;
    }
    for_each_key(place.accepted, place.now, [&](const std::string& key) {
      path_.emplace_back(key);
      if (!place.at(key).is_same()) note(place.at(key));
      path_.pop_back();
    });
  }

  // How much of the path somebody wrote: the long form of a field has more than its short one.
  [[nodiscard]] std::size_t written_depth(const json& config) const {
    const json* at = &config;
    for (std::size_t depth = 0; depth < path_.size(); ++depth) {
      at = member(at, path_[depth]);
      if (at == nullptr) return depth;
    }
    return path_.size();
  }

  [[nodiscard]] std::string path_text(std::size_t depth) const {
    std::string path;
    for (std::size_t i = 0; i < depth; ++i) path = child_path(path, path_[i]);
    return path;
  }

  const json& accepted_;
  const json& now_;
  const FrozenConfig& frozen_;
  std::vector<std::string> path_;
  std::set<std::string> names_;
};

}  // namespace

std::vector<std::string> changed_fields(const json& accepted, const json& now, const FrozenConfig& frozen) {
  return Comparison(accepted, now, frozen).run();
}

}  // namespace det::model
