#include <string>
#include <string_view>

#include "scheduler/read_objects.h"

namespace det::scheduler {
namespace {

// Lengths go with the texts, so that no two different shapes are written the same.
void put(std::string& key, std::string_view text) {
  key.append(std::to_string(text.size())).append(":").append(text);
}

void put(std::string& key, const Labels& labels) {
  for (const auto& [name, value] : labels) {
    put(key, name);
    put(key, value);
  }
  key += ';';
}

void put(std::string& key, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    put(key, name);
    key.append(std::to_string(amount));
  }
  key += ';';
}

void put(std::string& key, const std::vector<Requirement>& requirements) {
  for (const Requirement& each : requirements) {
    put(key, each.key);
    key.append(std::to_string(static_cast<int>(each.op)));
    for (const std::string& value : each.values) put(key, value);
    key += ',';
  }
  key += ';';
}

}  // namespace

std::string shape_key(const PodShape& shape) {
  std::string key = constraint_key(shape);
  put(key, shape.requests);
  put(key, shape.limits);
  return key;
}

std::string node_key(const PodShape& shape) {
  std::string key;
  put(key, shape.node_selector);
  if (shape.affinity) {
    key += 'a';
    for (const SelectorTerm& term : *shape.affinity) {
      put(key, term.labels);
      put(key, term.fields);
    }
  }
  for (const Toleration& each : shape.tolerations) {
    put(key, each.key);
    put(key, each.value);
    put(key, each.effect);
    key += each.exists ? 'e' : '=';
  }
  key += ';';
  return key;
}

std::string constraint_key(const PodShape& shape) {
  std::string key;
  put(key, shape.ns);
  key += node_key(shape);
  for (const AntiAffinity& each : shape.anti_affinity) {
    put(key, each.topology_key);
    put(key, each.selector.equal);
    put(key, each.selector.expressions);
    for (const std::string& ns : each.namespaces) put(key, ns);
    key += each.all_namespaces ? '*' : '.';
    key += each.selector.is_absent ? '0' : '1';
  }
  for (const std::string& claim : shape.claims) put(key, claim);
  put(key, shape.priority_class);
  key += shape.has_deadline ? 'd' : '.';
  return key;
}

}  // namespace det::scheduler
