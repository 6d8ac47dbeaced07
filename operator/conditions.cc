#include "operator/conditions.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/cut_text.h"
#include "base/json_get.h"
#include "base/printable.h"

namespace det::op {
namespace {

using nlohmann::json;

const char* text(Truth truth) {
  switch (truth) {
    case Truth::kFalse:
      return "False";
    case Truth::kTrue:
      return "True";
    case Truth::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

const json* find(const json& conditions, const std::string& type) {
  if (!conditions.is_array()) return nullptr;
  for (const json& condition : conditions) {
    if (condition.is_object() && condition.value("type", "") == type) return &condition;
  }
  return nullptr;
}

// Bytes of a condition's message.
constexpr std::size_t kMaxMessage = 4'000;

}  // namespace

std::string bounded_message(std::string text) {
  return text.size() <= kMaxMessage ? text : cut_text(std::move(text), kMaxMessage) + " ...";
}

json merge_conditions(const json& before, const std::vector<Condition>& now, std::int64_t generation, WallTime time) {
  json merged = json::array();
  for (const Condition& condition : now) {
    const json* old = find(before, condition.type);
    const bool same = old != nullptr && old->value("status", "") == text(condition.status);
    merged.push_back({{"type", condition.type},
                      {"status", text(condition.status)},
                      {"reason", condition.reason},
                      {"message", printable(condition.message)},
                      {"observedGeneration", generation},
                      {"lastTransitionTime", same ? old->value("lastTransitionTime", format_rfc3339_seconds(time))
                                                  : format_rfc3339_seconds(time)}});
  }
  return merged;
}

json put_condition(const json& before, const Condition& one, std::int64_t generation, WallTime time) {
  json all = json::array();
  for (const json& condition : before) {
    if (get_string(condition, "type") != one.type) all.push_back(condition);
  }
  for (json& condition : merge_conditions(before, {one}, generation, time)) all.push_back(std::move(condition));
  return all;
}

}  // namespace det::op
